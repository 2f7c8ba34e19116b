# A fork goes back to an earlier entry. What came after it is put on a branch: it leaves the
# conversation, lists and prompt, and is not lost.
2024-05-06 10:00  user: Suggest a name for the cat.
2024-05-06 10:01  assistant: Whiskers.
2024-05-06 10:02  user: Too common.
2024-05-06 10:03  assistant: Then Nebuchadnezzar.
! wait 1m
! fork c1 after e1
expect: 3 entries on branch b1
2024-05-06 10:05  assistant: Miso.
? conversation c1
expect not: Nebuchadnezzar
expect: branch b1: 3 entries
? entries branch b1
expect: Then Nebuchadnezzar.
? entries
expect not: Whiskers
? prompt
expect not: Whiskers
? entry e4
expect: on branch b1

# As of before the fork nothing was on a branch.
? entries as-of 2024-05-06 10:03
expect: Then Nebuchadnezzar.
expect not: Miso

! fork c1 after e5
expect error: nothing after it
! fork c1 after e2
expect error: not a current entry
! correct e2 "Whisky." because "typo"
expect error: on a branch
