# Three readings of one measure are a history: all kept, the latest current, each dated to the day where
# the owner lives. Here that is west of UTC, where half past eleven in the evening of the last day of a month is
# another month in London, or half past eight in the morning of the first still belongs to the last.
zone America/Los_Angeles

2025-01-10 23:30  user: My A1C was 7.4%.
! wait 2h
2025-02-05 08:30  user: I started walking 30 minutes daily.
! wait 2h
2025-03-31 23:30  user: My A1C improved to 7.0%.
! wait 2h
2025-05-01 00:30  user: My doctor reduced the metformin dosage.
! wait 2h
2025-07-20 23:30  user: My A1C is now at 6.8%.
! wait 2h

? months
expect: --- February 2025 ---
expect: --- May 2025 ---
expect: --- July 2025 ---
expect: - My A1C is now at 6.8%. (mentioned 2025-07-20) (confirmed)
expect not: 7.0
? facts all
expect: My A1C was 7.4%. (mentioned 2025-01-10) (confirmed) holds 2025-01-10/2025-03-31, replaced
expect: My A1C improved to 7.0%. (mentioned 2025-03-31) (confirmed) holds 2025-03-31/2025-07-20, replaced
expect: My A1C is now at 6.8%. (mentioned 2025-07-20) (confirmed) holds 2025-07-20/, current
? facts about "2025-04"
expect: 7.0
expect not: 7.4
expect not: 6.8
? facts as-of 2025-03-01
expect: 7.4%. (mentioned 2025-01-10) (confirmed) holds 2025-01-10/, current
expect not: 7.0
? recall "What was my A1C in April?"
expect: fact: My A1C improved to 7.0%.
expect not: fact: My A1C is now at 6.8%
expect not: fact: My A1C was 7.4%
? recall "What is my A1C?"
expect: fact: My A1C is now at 6.8%.
expect not: fact: My A1C was 7.4%
expect not: fact: My A1C improved
? recall "What is my A1C?" as-of 2025-03-01
expect: fact: My A1C was 7.4%.
