# A client asks for another reply, goes back and says something else, and returns. What it left is on a branch,
# what it returns to has its old time, and nothing is stored twice.
now 2025-09-20 10:00
! send
  user: hi
  -> hello
! wait 1m
! send
  user: hi
  assistant: hello
  user: a joke, please
  -> no
! wait 1m
! send
  user: hi
  assistant: hello
  user: a joke, please
  -> knock, knock
? entries
expect: knock, knock
expect not: : no

# It edits its last message.
! wait 1m
! send
  user: hi
  assistant: hello
  user: a poem, please
  -> roses are red
? entries
expect not: joke

# It swipes back to the first reply of all.
! wait 1m
! send
  user: hi
  assistant: hello
  user: a joke, please
  assistant: no
  user: why not?
expect: assistant: (Saturday, 2025-09-20 10:01:00) no
? entries
expect: why not?
expect not: poem
