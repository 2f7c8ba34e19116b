# A stretch of time can be forgotten: everything said at or after its beginning and before its end. A
# conversation that lies partly inside keeps the rest; one wholly inside goes.
now 2024-06-01 09:00

2024-05-05 23:50  user: Sunday night.
2024-05-06 00:00  user: Monday, midnight sharp.
2024-05-06 12:00  user: Monday noon.
2024-05-06 23:55  user: Monday, five to twelve.
2024-05-07 00:00  user: Tuesday, midnight sharp.
! forget after 2024-05-06 before 2024-05-07
expect: 1 conversation, 3 entries
! wait 5s
? entries all
expect: Sunday night
expect: Tuesday, midnight sharp
expect not: Monday
? conversations
! forget after 2024-05-07 before 2024-05-06
expect error: the end must be later
? jobs
! forget memory
? timeline
expect error: memory not found
