# A fork takes along what was corrected: the old wording goes onto the branch with the new one, and
# neither holds the conversation open any longer.
2024-05-06 10:00  user: Plan the trip.
2024-05-06 10:20  user: We leave on Tusday.
! correct e2 "We leave on Tuesday." because "typing error"
! fork c1 after e1
2024-05-06 10:45  user: Let us plan it again from the start.
? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:00, 1 entry
expect: c2 2024-05-06 10:45
? conversation c1
expect: 1 entry
