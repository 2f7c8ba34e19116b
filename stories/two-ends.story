# A conversation can be ended once. The second time is refused, says since when it is over,
# and changes nothing.
2024-05-06 10:00  user: Bye.
! end because "done"
2024-05-06 10:05  assistant: Bye!
! end
expect error: no active conversation to end
! end c1 because "again"
expect error: has already ended
? conversations
expect: by the caller: done

# One that fell silent is over as well, even if nobody has written that down yet.
worker off
2024-05-06 12:00  user: Still there?
! wait 31m
! end c2
expect error: has already ended
! end
expect error: no active conversation to end
