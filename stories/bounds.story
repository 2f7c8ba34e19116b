# "after" includes its instant, "before" does not, so that adjoining periods never share an entry and
# never lose one. An empty period is a mistake and says so.
now 2024-06-01 09:00
2024-05-06 10:00  user: At ten.
2024-05-06 11:00  user [tags=tea]: At eleven.
2024-05-06 12:00  user: At twelve.
? entries after 2024-05-06 10:00 before 2024-05-06 11:00
expect: At ten.
expect not: At eleven.
? entries after 2024-05-06 11:00 before 2024-05-06 12:00
expect: At eleven.
expect not: At ten.
expect not: At twelve.
? timeline after 2024-05-06 11:00
? entries newest
? entries tag tea
expect not: At ten.
? entries after 2024-05-06 11:00 before 2024-05-06 11:00
expect error: the period is empty
? entries created-after 2024-06-02 created-before 2024-06-01
expect error: the period is empty
