# The text for a model: the last ended conversations with title and summary, then the current one,
# each entry with its time, who spoke, and the tools that were used.
zone Europe/Paris

2025-01-13 09:00  user: Please plan the garden party for the second weekend in June.
2025-01-13 09:01  assistant [tools=calendar]: I reserved the second weekend in June for the garden party.
2025-01-14 09:00  user: Order forty chairs and ten tables for the garden party.
2025-01-14 09:01  assistant [tools=shop,mail]: Forty chairs and ten tables are ordered, and the receipt is in your mail.
2025-01-15 08:00  user: Did the chairs arrive yet? I asked for forty of them.
2025-01-15 08:01  assistant: They arrive tomorrow.
2025-01-15 11:00  user: Create a note about today's meeting
2025-01-15 11:00:05  assistant [tools=write_file]: I've created 'Meeting Notes.md' in your Journal folder.
2025-01-15 11:02  user [speaker=Ana]: Add me to the list.
  And my brother.
? prompt
expect: [2025-01-15T11:00:05+01:00]
expect: Assistant: I've created 'Meeting Notes.md' in your Journal folder. [used: write_file]
expect: Ana: Add me to the list.
expect: ## Recent Conversations
expect not: second weekend

# When the current conversation is over, it is told as the last one.
! wait 31m
? prompt
expect not: ## Current Conversation
