# A corrected entry cannot be corrected again: that would leave two truths. The error names the one
# to correct instead, and that works. A correction needs a reason and something said.
2024-05-06 10:00  user: Ana's birthday is on 3 June.
! correct e1 "Ana's birthday is on 4 June." because "looked it up"
! correct e1 "Ana's birthday is on 5 June." because "looked again"
expect error: already been corrected by e2; correct that one
! correct e2 "Ana's birthday is on 5 June." because "asked her"
! correct e3 "Ana's birthday is on 6 June." because " "
expect error: reason is empty
! correct e3 "" because "no"
expect error: content is empty
? entries
expect: 5 June
expect not: 6 June
? entries all
? conversation c1
expect: 1 entry
