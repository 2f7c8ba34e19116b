# A conversation is active, then cooling, where a word takes it up again, then over; it is dormant once its facts
# are kept, and closed a week later. So says the preset for somebody who looks in every day.
set lifecycle daily-checkin
2025-03-01 09:00  user: I live in Bern.
? states
expect: c1 active
! wait 1h 59m
? states
expect: c1 active
! wait 1m
? states
expect: c1 cooling
! wait 20m
user: And I have a dog.
expect: c1
? states
expect: c1 active
worker off
! wait 2h 31m
user: Good evening.
expect: c2
? states
expect: c1 cooling
worker on
! wait 1m
? states
expect: c1 dormant
expect: c2 active
? facts
expect: I live in Bern.
expect: And I have a dog.
! wait 8d
? states
expect: c1 closed
expect: c2 closed
