# Every entry has two times: when it was said and when it was stored. Lists can be narrowed by either
# or by both at once. The time of storing cannot be given.
now 2024-06-01 09:00
2023-01-08 12:49  user: Said in January, stored in June.
2024-02-01 10:00  user: Said in February, stored in June.
now 2024-07-01 09:00
2023-01-09 12:49  user: Said in January, stored in July.
? entries
? entries before 2024-01-01
expect not: February
? entries created-after 2024-06-15
expect: Said in January, stored in July.
expect not: stored in June
? entries before 2024-01-01 created-before 2024-06-15
expect: Said in January, stored in June.
expect not: July
expect not: February
? entries as-of 2024-06-15
expect not: July
? entry e1
expect: conversation_time 2023-01-08T12:49:00Z
expect: creation_time 2024-06-01T09:00:00Z
