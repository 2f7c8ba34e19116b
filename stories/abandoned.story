# Nobody says goodbye: the conversation ends by itself, at its last entry plus the timeout,
# not whenever somebody comes back.
2024-05-06 10:00  user: Remind me what the plumber said.
2024-05-06 10:02  assistant: He comes on Thursday.

! wait 28m
? conversations
expect: open
! wait 2m
? conversations
expect: open
! wait 1s
? conversations
expect: ended 2024-05-06 10:32 by silence
! wait 5s
? jobs
expect: (nothing)
