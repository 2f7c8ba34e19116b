# Imported history splits where it really paused.
# All of it is stored within the same minute; what counts is when it was said.
now 2024-06-01 09:00

2022-03-01 08:00  user: I planted the tomatoes.
2022-03-01 08:05  assistant: Which kind?
2022-03-01 19:40  user: San Marzano.
2022-07-20 18:00  user: First ripe tomato today!

! wait 5s
? conversations
expect: c1 2022-03-01 08:00 to 2022-03-01 08:05, 2 entries, ended 2022-03-01 08:35 by silence
expect: c3 2022-07-20 18:00
? entries
expect: stored 2024-06-01 09:00
? timeline
expect: (+141 days)
