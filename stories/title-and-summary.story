# When a conversation has ended it gets a title of five to eight words and a summary of two or three
# sentences, chosen from what was said, without a model, and marked as such.
2024-05-06 10:00  user: Hi! My landlord wants to raise the rent by two hundred euros in August.
2024-05-06 10:01  assistant: That is a lot. Did the landlord give a reason for the higher rent?
2024-05-06 10:02  user: He says the new windows cost him a fortune. But the windows are still the old ones!
2024-05-06 10:03  assistant: Then the landlord cannot charge you for new windows. Write to him and ask for proof of the costs.
2024-05-06 10:04  user: Ok. I will write to the landlord today and ask for proof before the rent goes up.
2024-05-06 10:05  assistant: Good luck.
? conversations
expect not: (extractive)
! end because "user is done"
? conversations
expect: (extractive)

# However little was said, the title has five words.
2024-05-07 10:00  user: ok
! end
? conversations newest limit 1
expect: Short exchange
