# Forgetting removes for good, with everything derived from it: the entry, its corrections, and a
# summary that quoted it. What is left is summarized anew.
2024-05-06 10:00  user: My locker code at the swimming pool is four seven one one.
2024-05-06 10:01  user: I swim on Tuesdays before breakfast with my neighbor.
! correct e1 "My locker code at the swimming pool is four seven one two." because "typo"
! end
? conversations
expect: locker
! forget e1
expect: 2 entries
? conversations
expect not: locker
! wait 2s
? conversations
expect: I swim on Tuesdays
? entries all
expect not: locker
? entry e3
expect error: entry not found
? timeline as-of 2024-05-06 10:01
expect not: locker
! forget e1
expect error: entry not found
