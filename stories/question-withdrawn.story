# A question no longer waits when it is put on a branch or forgotten. When it is corrected, it waits
# in its corrected form.
2024-05-06 10:00  user: Clean up my notes, please.
2024-05-06 10:01  assistant [question]: Shall I delete them all?
! correct e2 "Shall I delete the empty ones?" because "meant only the empty ones"
? prompt
expect: wait for the answer: Shall I delete the empty ones?
! fork c1 after e1
? prompt
expect not: ## Pending Context
2024-05-06 10:02  user: Yes.
expect not: answers

2024-05-06 10:03  assistant [question]: Shall I sort them by date?
! forget e5
2024-05-06 10:04  user: Yes.
expect not: answers
