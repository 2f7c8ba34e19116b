# The program was not running when the conversation fell silent. Whoever looks a week later finds
# the same end as if it had been: last entry plus the timeout.
2024-05-06 10:00  user: Remind me what the plumber said.
worker off
! wait 7 days
? conversations
expect: open
! restart
worker on
? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:00, 1 entry, ended 2024-05-06 10:30 by silence

# The same when the next entry is what comes first.
2024-05-13 11:00  user: Did he come?
worker off
! wait 7 days
user: The tap drips again.
? conversations
expect: c2 2024-05-13 11:00 to 2024-05-13 11:00, 1 entry, ended 2024-05-13 11:30 by silence
