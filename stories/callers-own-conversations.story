# A caller may name the conversation an entry belongs to, to keep the boundaries of its source.
# Such a conversation is neither split by a pause nor joined with a neighbor in time.
now 2024-06-01 09:00

2024-05-06 10:00  user [conversation=mail-7]: Could you send the invoice?
2024-05-09 16:00  assistant [conversation=mail-7]: Here it is.
2024-05-06 10:01  user: An unrelated note, said a minute after the mail.
expect: c1
2024-05-06 10:02  user [conversation=mail-8]: Another mail, at the same time.
! wait 5s
? conversations
expect: mail-7 2024-05-06 10:00 to 2024-05-09 16:00, 2 entries
expect: c1 2024-05-06 10:01 to 2024-05-06 10:01, 1 entry
? conversation mail-7
? entries in mail-8
expect: Another mail

# It goes on under its name whenever the source does.
2024-05-20 08:00  user [conversation=mail-7]: Paid.
? conversation mail-7
expect: 3 entries
