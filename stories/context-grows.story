# The context document is written from what is known and kept up to date, until an agent writes its own.
# That one stands, whatever is said later, until somebody asks for the built one again.
zone America/New_York

2025-01-10 09:00  user: My A1C was 7.4%. I prefer walking to running.
! wait 2h
2025-04-12 23:30  user: My A1C improved to 7.0% and my doctor reduced the metformin dosage.
! wait 2h
2025-07-20 09:00  user: My A1C is now at 6.8%. We decided to keep the walks with Maria.
! wait 2h
! wait 1h
? context
expect: (extractive)
expect: before: 7.0% (2025-04-12), 7.4% (2025-01-10)
expect: # Timeline
expect: 2025-04-12 –
expect: (+92 days)
! context "Written by the agent."
2025-08-01 09:00  user: I live in Lisbon now.
! wait 2h
! wait 1h
? context
expect: Written by the agent.
expect not: Lisbon
! rebuild
? context
expect: Lisbon
