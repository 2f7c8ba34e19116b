# A value is kept whole: a time with its minutes, a ratio with both numbers, an amount with its unit. So a
# newer value replaces the older one, and is not taken for the same said again.
zone Europe/London

2025-06-01 09:00  user: My blood pressure is 120/80.
2025-06-01 09:01  user: My appointment is at 10:30.
2025-06-01 09:02  user: The interview is on 2025-06-12.
2025-06-01 09:03  user: My phone number is 555-1234.
2025-06-01 09:04  user: My best 5K time is 25:50.
2025-06-01 09:05  user: My flight is at 3 pm.
2025-06-01 09:06  user: My daughter is 3 years old.
! wait 2h
2025-06-03 09:00  user: My blood pressure is 120/95.
2025-06-03 09:01  user: My appointment is at 10:45.
2025-06-03 09:02  user: They moved the interview to 2025-06-14.
2025-06-03 09:03  user: My phone number is 555-9876.
2025-06-03 09:04  user: My best 5K time is 25:10.
2025-06-03 09:05  user: My flight is at 3 am.
2025-06-03 09:06  user: My daughter is 3 months old.
! wait 2h

? months
expect: - My blood pressure is 120/95. (mentioned 2025-06-03) (confirmed)
expect: 10:45
expect: 2025-06-14
expect: 555-9876
expect: 25:10
expect: 3 am
expect: 3 months
expect not: 120/80
expect not: 10:30
expect not: 555-1234
expect not: 25:50
expect not: 3 pm
expect not: 3 years
