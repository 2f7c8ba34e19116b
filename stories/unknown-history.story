# A client that has talked for long before brings its history along: it is dated from now backwards, a second apart, and
# a reply that was lost has the time at which it began.
now 2025-09-20 10:00
! send
  user: Translate this:
  assistant: What?
  user: bonjour
expect: user: (Saturday, 2025-09-20 09:59:58) Translate this:
! wait 1 hour
! send
  user: Translate this:
  assistant: What?
  user: bonjour
  assistant: good day
  user: thanks
  -> you are welcome
expect: assistant: (Saturday, 2025-09-20 10:00:00) good day
? entries
