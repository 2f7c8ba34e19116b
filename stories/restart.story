# Everything acknowledged is there after a restart: entries, both times, corrections, branches,
# conversations and their ends, the waiting question, background work, the context document.
zone Asia/Tokyo
set conversationIdleTimeoutMinutes 45
2024-05-06 10:00  user [tags=trip speaker=Kenji summary="Trip idea"]: Let us go to Nikko.
2024-05-06 10:01  assistant [tools=maps,weather]: By train?
2024-05-06 10:02  user: By car.
! correct e3 "By bus." because "the car is in the garage"
! context "A trip to Nikko is being planned."
2024-05-06 12:00  assistant [question]: Shall I look for a hotel?
! restart
? entries all
expect: tags trip
? conversations
expect: ended 2024-05-06 10:47 by silence
? context
? jobs
expect: close c2 due 2024-05-06 12:45
? timeline
2024-05-06 12:30  user: Yes.
expect: e6 in c2, answers e5
! restart
! wait 46m
? conversations
expect: c2 2024-05-06 12:00 to 2024-05-06 12:30, 2 entries, ended 2024-05-06 13:15 by silence
