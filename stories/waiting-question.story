# The assistant asked something and waits. The next word of the user comes with that question, so
# that whoever answers knows what "yes" means. It is delivered once.
2024-05-06 10:00  user: Clean up my notes, please.
2024-05-06 10:01  assistant [question]: Shall I delete the three empty ones?
? prompt
expect: ## Pending Context
2024-05-06 10:20  user: Yes.
expect: answers e2, asked 2024-05-06 10:01
2024-05-06 10:21  user: And the drafts.
expect not: answers
? prompt
expect not: ## Pending Context
