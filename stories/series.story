# A question about how something has changed is answered with all its values; a question about a period
# with what held in it.
zone Europe/London

2025-01-10 09:00  user: My A1C was 7.4%.
! wait 2h
2025-02-10 09:00  user: I take metformin 500 mg twice daily.
! wait 2h
2025-04-10 09:00  user: Great: A1C improved to 7.0%.
! wait 2h
2025-05-10 09:00  user: I take lisinopril 10 mg in the morning.
! wait 2h
2025-07-20 09:00  user: My A1C is now at 6.8%.
! wait 2h
! wait 223d

? recall "How has my A1C changed over time?"
expect: fact: My A1C was 7.4%
expect: fact: Great: A1C improved to 7.0%
expect: fact: My A1C is now at 6.8%
? recall "What is my A1C?"
expect: fact: My A1C is now at 6.8%
expect not: fact: My A1C was 7.4%
? recall "What medications was I on last year?"
expect: fact: I take metformin 500 mg twice daily.
expect: fact: I take lisinopril 10 mg in the morning.
