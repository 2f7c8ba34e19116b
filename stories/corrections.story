# Entries are never edited. A correction is a new entry with a reason, at the time the corrected one
# was said. The corrected one leaves normal results, and stays visible as of before the correction.
2024-05-06 10:00  user: My flight leaves at 7 in the evening.
2024-05-06 10:01  assistant: Noted: 19:00.
2024-05-10 09:00  user: I looked at the ticket.
! correct e1 "My flight leaves at 7 in the morning." because "misread the ticket"
expect: e4 in c1
? timeline
expect: 2024-05-06 – My flight leaves at 7 in the morning.
expect not: evening
? timeline as-of 2024-05-09
expect: evening
expect not: morning
? entries all
? entry e1
expect: corrected by e4
? entry e4
expect: corrects e1: misread the ticket

# The conversation counts what was said once, and its summary follows.
! wait 2s
? conversation c1
expect: 2 entries
expect: (extractive) My flight leaves at 7 in the morning.

# As of the very instant of the correction it holds.
? timeline as-of 2024-05-10 09:00
expect: morning
