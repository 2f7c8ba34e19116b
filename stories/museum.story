# The museum check.
# Two visits are told a week apart. The timeline shows both, oldest first, and says that seven days
# lie between them, so that no model has to subtract dates. The prompt tells both with their times.
zone America/New_York

2023-01-08 12:49  user: I visited the Museum of Modern Art today.
2023-01-08 12:50  assistant: How was it?
2023-01-08 12:52  user: Crowded, but I liked the Rothko room.
2023-01-15 10:00  user: Today I am at the Metropolitan Museum of Art to see the armor.
2023-01-15 10:01  assistant: Enjoy the armor!

? timeline
expect: 2023-01-08 – I visited the Museum of Modern Art today.
expect: 2023-01-15 – Today I am at the Metropolitan Museum of Art to see the armor. (+7 days)
expect not: Enjoy
? timeline role assistant
? conversations
? prompt
expect: Museum of Modern Art
expect: Metropolitan
