# An entry that arrives late may fill the pause between two conversations: they become one.
# The later one goes on under the name of the earlier, and both names lead to it.
now 2024-06-01 09:00

2024-05-06 10:00  user: Starting the long walk.
2024-05-06 10:50  user: Back home.
expect: c2
? conversations
2024-05-06 10:25  user: Halfway, at the mill.
expect: e3 in c1
! wait 5s
? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:50, 3 entries
expect not: c2
? conversation c2
expect: e2 2024-05-06 10:50
