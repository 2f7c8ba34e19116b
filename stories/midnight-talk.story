# A talk that runs past midnight gives facts of two days, each with the day of the entry it rests on, and in the
# month that day belongs to.
zone Pacific/Auckland

2025-03-31 23:50  user: I live in Wellington.
2025-04-01 00:10  user: I have two cats.
! wait 2h
? months
expect: --- March 2025 ---
expect: - I live in Wellington. (mentioned 2025-03-31) (confirmed)
expect: --- April 2025 ---
expect: - I have two cats. (mentioned 2025-04-01) (confirmed)
