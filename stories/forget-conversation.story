# A conversation is forgotten whole, with its branches, its jobs and the question that waits in it.
# What was said at other times stays.
2024-05-06 08:00  user: Something else entirely.
2024-05-06 10:00  user: The surprise party is on Friday.
2024-05-06 10:01  assistant: Where?
! fork c2 after e2
2024-05-06 10:02  assistant [question]: Shall I write the invitations?
? jobs
expect: close c2
! forget c2
expect: 1 conversation, 3 entries, 1 context version, 1 job
? entries all
expect: Something else entirely.
expect not: party
? conversation c2
expect error: conversation not found
? prompt
expect not: invitations
! wait 5s
? jobs
expect: (nothing)
user: Yes.
expect: c3
expect not: answers
? conversations
