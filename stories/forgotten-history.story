# What was forgotten with its memory does not come back with the history that a chat client sends again. What is said
# from then on is stored, and so are the same words in a chat that begins with them.
zone Europe/Berlin
now 2025-09-20 16:30
! send
  user: My PIN is 4711
  -> I will keep it
! wait 5m
! send
  user: My PIN is 4711
  assistant: I will keep it
  user: And my dog is Rex
  -> Nice dog
! forget memory
! wait 5m
! send
  user: My PIN is 4711
  assistant: I will keep it
  user: And my dog is Rex
  assistant: Nice dog
  user: What is new?
  -> Nothing
? entries all
expect: What is new?
expect: Nothing
expect not: 4711
expect not: Rex
! forget memory
! wait 5m
! send
  user: My PIN is 4711
  -> I will keep it
? entries all
expect: My PIN is 4711
expect: I will keep it
