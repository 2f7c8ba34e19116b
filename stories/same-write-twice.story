# A caller that is not sure whether a write arrived sends it again under the same key: it gets the
# same receipt and nothing is stored twice. The key for another write is a mistake.
2024-05-06 10:00  user [key=a1]: Water the plants.
2024-05-06 10:00  user [key=a1]: Water the plants.
expect: e1 in c1 (stored before)
! restart
2024-05-06 10:00  user [key=a1]: Water the plants.
expect: (stored before)
2024-05-06 10:00  user [key=a1]: Water the lawn.
expect error: was used for a different write
2024-05-06 10:00  user: Water the plants.
expect: e2
? entries
! forget e1
2024-05-06 10:00  user [key=a1]: Water the plants.
expect error: has been forgotten since
