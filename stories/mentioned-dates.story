# A date that the speaker mentions belongs to the event's text. It never moves the line: the timeline
# is dated by when things were said.
2024-05-06 10:00  user: I was born on 12 March 1990.
2024-05-07 10:00  user: In July 2031 I will retire.
2024-05-08 10:00  user: Yesterday I bought a boat.
? timeline
expect: 2024-05-06 – I was born on 12 March 1990.
expect: 2024-05-07 – In July 2031 I will retire. (+1 day)
expect: 2024-05-08 – Yesterday I bought a boat. (+1 day)
