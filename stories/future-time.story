# A time more than a minute ahead of the clock is refused, and nothing is stored, unless the caller
# says allow_future. A minute is allowed because clocks differ.
now 2024-05-06 10:00

2024-05-06 10:01  user [ahead]: My clock is a little fast.
2024-05-06 10:01:01  user [ahead]: My clock is too fast.
expect error: more than a minute in the future
2025-01-01 00:00  user [allow_future]: Open this letter in the new year.
? entries
expect: e1 2024-05-06 10:01
expect: e2 2025-01-01 00:00
expect not: too fast

# The letter does not end what is going on, and is not what is going on.
? conversations
expect: c1 2024-05-06 10:01 to 2024-05-06 10:01, 1 entry, open
? prompt
expect not: new year
2024-05-06 10:10  user: Where were we?
expect: c1
! end
? conversations open
expect: c2
