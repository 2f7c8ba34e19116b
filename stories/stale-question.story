# A question waits for its answer as long as the vault says, here an hour. An answer at the very end
# of the hour still counts; one that comes later is not taken for an answer.
set conversationStateTimeoutMinutes 60

2024-05-06 10:00  assistant [question]: Shall I book the room?
2024-05-06 11:00  user: Yes.
expect: answers e1

2024-05-06 12:00  assistant [question]: Shall I book the hotel, too?
! wait 60m
? prompt
expect: Shall I book the hotel, too?
! wait 1s
? prompt
expect not: ## Pending Context
user: Yes.
expect not: answers

# History told afterwards answers nothing either: it was said before the question.
2024-05-06 14:00  assistant [question]: And the train?
2024-05-06 09:00  user: I had coffee.
expect not: answers
2024-05-06 14:30  user: No train.
expect: answers
