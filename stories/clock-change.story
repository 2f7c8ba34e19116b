# On the day the clocks change, the wall clock jumps but time does not. From 01:50 to 03:10 only
# twenty minutes pass in spring: one conversation. In autumn 02:50 comes twice; a pause is measured
# in minutes that really passed. Days are counted by the calendar, whether they have 23 or 25 hours.
zone Europe/Berlin

2024-03-30 12:00  user: The clocks change tonight.
2024-03-31 01:50  user: Still awake.
2024-03-31 03:10  user: Now it is summer time.
expect: c2
2024-03-31 12:00  user: Slept badly.
? timeline
expect: Still awake. (+1 day)
? conversations
expect: c2 2024-03-31 01:50 to 2024-03-31 03:10, 2 entries

2024-10-27T02:50:00+02:00  user: Ten to three, for the first time.
2024-10-27T02:50:00+01:00  user: Ten to three, for the second time.
expect: c5
2024-10-28 00:10  user: That day had 25 hours.
? timeline after 2024-10-27
expect: That day had 25 hours. (+1 day)
