# What is refused leaves no trace: no entry, no conversation, no job.
2024-05-06 10:00  user: Only this is stored.
2024-05-06 11:00  user:
expect error: content is empty
2024-05-06 11:00  user [question]: May a user wait for an answer?
expect error: is_question marks an assistant's entry
2024-05-06 11:00  user [conversation=end]: A conversation cannot be called like that.
expect error: choose another
2024-05-06 11:00  user [tags=a,,b]: An empty tag.
expect error: tag is empty
? entries all
expect: e1
expect not: e2
? conversations
expect not: c2
? jobs
