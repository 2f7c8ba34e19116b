# An entry that falls between two conversations and is near neither opens its own;
# near one of them, it joins that one, at either end.
now 2024-06-01 09:00

2024-05-06 08:00  user: Breakfast was porridge.
2024-05-06 18:00  user: Dinner was soup.
2024-05-06 12:30  user: Lunch was a sandwich.
expect: c3
2024-05-06 08:20  user: And a cup of tea.
expect: c1
2024-05-06 17:45  user: I am cutting leeks.
expect: c2
! wait 5s
? conversations
expect: c2 2024-05-06 17:45 to 2024-05-06 18:00, 2 entries
? timeline
