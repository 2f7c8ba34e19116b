# A chat client sends its whole history with every request, without times. Each message keeps the time at
# which it was first sent; the second "ok" a week later has its own.
zone Europe/Berlin
now 2025-09-20 16:30
! send
  system: Be kind.
  user: hi
  -> hello
! wait 5m
! send
  system: Be kind.
  user: hi
  assistant: hello
  user: ok
  -> good
expect: assistant: (Saturday, 2025-09-20 16:30:00) hello
! wait 7 days
! restart
! send
  system: Be kind.
  user: hi
  assistant: hello
  user: ok
  assistant: good
  user: ok
  -> welcome back
expect: user: (Saturday, 2025-09-20 16:35:00) ok
expect: user: (Saturday, 2025-09-27 16:35:00) ok
expect: The most recent message was sent 7 days ago.
? conversations
