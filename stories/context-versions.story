# The context document of a memory is only ever added to: the latest version is current, every older
# one can be asked for, by number or as of a time.
2024-05-01 09:00  user: Let us begin.
! context "Project started. Nothing decided."
expect: version 1
2024-05-08 09:00  user: We take the blue tiles.
! context "Blue tiles chosen." at 2024-05-07 18:00
? context
expect: version 2, as of 2024-05-07 18:00, stored 2024-05-08 09:00: Blue tiles chosen.
? context version 1
expect: Nothing decided
? context as-of 2024-05-05
expect: version 1
? context version 3
expect error: context not found
! context " "
expect error: empty
! context "Told from the future." at 2025-01-01 09:00
expect error: in the future
? contexts
expect: version 2
expect not: version 3
