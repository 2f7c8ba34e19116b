# The order in which history arrives does not matter.
# The same four entries as in imported-history, newest first: the same three conversations.
now 2024-06-01 09:00

2022-07-20 18:00  user: First ripe tomato today!
2022-03-01 19:40  user: San Marzano.
2022-03-01 08:05  assistant: Which kind?
2022-03-01 08:00  user: I planted the tomatoes.

! wait 5s
? conversations
expect: 2022-03-01 08:00 to 2022-03-01 08:05, 2 entries, ended 2022-03-01 08:35 by silence
? timeline
expect: (+141 days)
