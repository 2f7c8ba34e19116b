# With retention = delete, what exceeds the number retained is removed for good: no list, no
# timeline, no entry finds it again.
set maxConversationsRetained 1
set retention delete

2024-05-01 10:00  user: The first day of May was sunny and warm.
2024-05-02 10:00  user: The second day of May was cloudy and cold.
! wait 1h
? conversations all
expect not: c1
? entries all
expect not: first day
? entry e1
expect error: entry not found
? conversation c1
expect error: conversation not found
? jobs
expect: (nothing)

# A question that went with its conversation waits no longer.
set conversationIdleTimeoutMinutes 5
2024-05-03 10:00  assistant [question]: Shall I close the window?
2024-05-03 10:10  assistant: I closed the window.
2024-05-03 10:20  user: Yes.
expect not: answers
? entries all
