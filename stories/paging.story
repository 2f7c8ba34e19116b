# A list is read in pages. What is stored meanwhile neither repeats nor hides anything: the next page
# goes on where the last one stopped, in time. Gaps are counted across pages.
now 2024-06-01 09:00
2024-05-01 10:00  user: One.
2024-05-02 10:00  user: Two.
2024-05-04 10:00  user: Four.
2024-05-05 10:00  user: Five.
? timeline limit 2
expect: (and more)
2024-04-30 10:00  user: Zero, stored late.
2024-05-03 10:00  user: Three, stored late.
? more
expect: 2024-05-03 – Three, stored late. (+1 day)
expect not: Zero
? more
expect: Five
expect not: (and more)
? entries newest limit 4
? more
? more
expect error: the last list was whole
