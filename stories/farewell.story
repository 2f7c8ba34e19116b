# Somebody ends the conversation by a word. The exchange in which that happens still belongs to it:
# the assistant's farewell comes after the end and stays. The user's next word opens a new one.
2024-05-06 10:00  user: That was all, thank you.
! end because "task completed"
2024-05-06 10:01  assistant [tools=end_conversation]: Goodbye!
expect: c1
? conversation c1
expect: by the caller: task completed
expect: Goodbye!
2024-05-06 10:02  user: One more thing: what is the time?
expect: c2
2024-05-06 10:03  assistant: Three minutes past ten.
? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:01, 2 entries
