# "I used to" ends a fact. It does not say it again, and it says nothing about another value.
zone Europe/London

2025-01-10 09:00  user: I live in Berlin.
! wait 2h
2025-03-10 09:00  user: I used to live in Berlin.
! wait 2h
2025-04-10 09:00  user: I live in Lisbon.
! wait 2h
2025-05-10 09:00  user: I used to live in Berlin.
! wait 2h

? facts all
expect: I live in Berlin. (mentioned 2025-01-10) (confirmed) holds 2025-01-10/2025-03-10, replaced
expect: I live in Lisbon. (mentioned 2025-04-10) (confirmed) holds 2025-04-10/, current
