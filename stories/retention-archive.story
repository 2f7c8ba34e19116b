# Only so many ended conversations stay in lists and tools; the oldest ended leave first. Leaving
# means archived: still in entries and timeline, and it can be brought back.
set maxConversationsRetained 2

2024-05-01 10:00  user: The first day of May was sunny and warm.
2024-05-02 10:00  user: The second day of May was cloudy and cold.
2024-05-03 10:00  user: The third day of May was rainy and dark.
2024-05-04 10:00  user: The fourth day of May was windy and loud.
? conversations
expect not: c1
! wait 1h
? conversations
expect not: c2
? conversations archived
expect: c1
? timeline
expect: first day
? conversation c1
expect: archived

# What is brought back counts as new again, and the oldest of the others leaves in its place.
! restore c1
? conversations by-end
expect: c1
expect: c4
expect not: c3
? conversations archived
! restore c1
expect error: not archived
