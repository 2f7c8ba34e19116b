# A day begins at midnight where the owner of the vault lives. Half past eleven in the evening in New
# York belongs to that day, although it is the next one in London. If the owner moves, the times
# stay and the days are counted anew.
zone America/New_York

2023-01-07 23:30  user: Late supper.
2023-01-08 00:30  user: Cannot sleep.
? timeline
expect: 2023-01-07 – Late supper.
expect: 2023-01-08 – Cannot sleep. (+1 day)
? entries after 2023-01-08
expect not: supper
? entry e1
expect: conversation_time 2023-01-07T23:30:00-05:00

zone Europe/London
? timeline
expect: 2023-01-08 – Late supper.
expect not: (+1 day)
? entry e1
expect: conversation_time 2023-01-08T04:30:00+00:00
