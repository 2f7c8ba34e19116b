# A pause ends a conversation only if it is strictly longer than the timeout.
# Exactly thirty minutes keep it together; one second more begins a new one.
set conversationIdleTimeoutMinutes 30

2024-05-06 10:00  user: The oven is preheating.
2024-05-06 10:30  user: The bread is in.
expect: c1
2024-05-06 11:00:01  user: The bread is out.
expect: c2

? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:30, 2 entries
