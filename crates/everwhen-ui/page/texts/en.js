// Every text of the page. Of `one|many` the number {n} chooses.
export default {
  skip: 'Skip to the content', 'just.now': 'just now', loading: 'Loading…', close: 'Close', cancel: 'Cancel', save: 'Save', copy: 'Copy', copied: 'Copied', print: 'Print', rename: 'Rename',
  filter: 'Show', 'filter.all': 'Everyone', forget: 'Forget', correct: 'Correct', pin: 'Pin', pinned: 'Pinned',
  lost: 'The server does not answer. This page goes on as soon as it does.',
  'failure.unreachable': 'The server could not be reached.',

  'nav.where': 'Where you are', 'nav.server': 'Server', 'nav.views': 'Views of this memory',
  'nav.memories': 'Memories', 'nav.timeline': 'Timeline', 'nav.conversation': 'Conversation', 'nav.facts': 'Facts', 'nav.ask': 'Ask', 'nav.document': 'Document', 'nav.live': 'Live', 'nav.settings': 'Settings',

  'key.title': 'This server asks for a key', 'key.hint': 'Paste an API key, or the operator’s token.', 'key.label': 'Key', 'key.use': 'Use this key', 'key.forget': 'Forget the key of this tab',
  'key.where': 'The key stays in this browser tab. “everwhen ui” opens the page with it; “everwhen keys add” makes one.',

  'role.user': 'User', 'role.assistant': 'Assistant', 'role.system': 'System', 'role.tool': 'Tool',
  entries: '{n} entry|{n} entries', messages: '{n} message|{n} messages',

  'moment.label': 'The moment shown', 'moment.said': 'said', 'moment.known': 'known', 'moment.now': 'now',
  'moment.said.long': 'What had been said by this time', 'moment.known.long': 'What this memory knew at this time',
  'moment.said.type': 'Said by: type a date', 'moment.known.type': 'Known by: type a date', 'moment.words.hint': 'A date such as 2025-06-08, or words such as “last March”. Empty means now.', 'moment.type.hint': 'A date such as 2025-06-08, 2025-06, or 2025-06-08 14:30. Empty means now.',
  'density.none': 'Nothing yet', 'density.said': '{total} entries said from {from} to {to}', 'density.known': '{total} entries stored from {from} to {to}',
  'banner.said': 'What had been said by {said}.', 'banner.known': 'This memory as it stood on {known}.', 'banner.both': 'This memory as it stood on {known}: what had been said by {said}.',
  'banner.locked': 'The past cannot be changed.', 'banner.back': 'Back to now',

  'vaults.title': 'Vaults', 'memories.title': 'Memories', 'memories.none': 'Nothing is remembered yet', 'memories.first': 'Say something, let an app talk through the proxy, or look at a made-up year:',
  'memory.empty': 'Nothing said yet', 'memory.waits': '{n} conversation waits to be summed up|{n} conversations wait to be summed up', 'memory.new': 'New memory', 'memory.rename': 'Rename the memory', 'memory.name': 'Name', 'memory.description': 'Description',

  'timeline.none': 'Nothing was said here yet', 'timeline.first': 'Add an entry, or let an app talk through the proxy.', 'timeline.nothing': 'Nothing by then', 'timeline.nothing.hint': 'This memory had nothing at {at}.',
  'timeline.older': 'Earlier…', 'timeline.beginning': 'The beginning', 'timeline.until': 'Up to {at}', 'timeline.silence': '{pause} of silence',
  'pause.days': '{n} day|{n} days', 'pause.months': '{n} month|{n} months', 'pause.years': '{n} year|{n} years',
  'duration.seconds': '{n} s', 'duration.minutes': '{n} min', 'duration.hours': '{h} h {m} min',

  'entry.more': 'Show all', 'entry.whole': 'Show all {n} characters', 'entry.part': 'Show {part} of {n} characters', 'entry.hidden': 'A character that is usually not visible', 'entry.corrects': 'Corrected: {reason}', 'entry.corrected': 'Corrected {at}: {reason}', 'entry.tools': 'Tools: {names}',

  'conversation.untitled': 'Conversation', 'conversation.open': 'going on', 'conversation.span': '{from} to {to}', 'conversation.ended.pause': 'ended by a pause', 'conversation.ended.word': 'ended: {reason}',
  'conversation.learned': 'Learned here', 'conversation.previous': 'Earlier', 'conversation.next': 'Later', branches: 'Branches', 'branch.main': 'In force', 'branch.left': 'Left {at} ({n})', work: '{active} of work, {idle} of waiting',

  'facts.none': 'No facts here', 'facts.first': 'Facts are found when a conversation ends. Move the clocks, or come back later.', 'facts.values': 'Values', 'facts.statements': 'Statements', 'facts.about': 'what holds on {day}', 'facts.since': 'since {at}', 'facts.until': 'until {at}',
  'fact.title': 'Fact', 'fact.holds': 'Holds', 'fact.known': 'Known', 'fact.source': 'Source', 'fact.confirmed': 'said in these words', 'fact.inferred': 'inferred', 'fact.open': 'no dates', 'fact.evidence': 'Evidence', 'fact.correct': 'Correct a fact', 'fact.correct.hint': 'Your words take its place and stay, whatever is learned later. What was said does not change.', 'fact.correct.content': 'What holds', 'fact.remove': 'Delete', 'fact.remove.hint': 'The fact goes for good and is not learned again. What was said stays.', 'fact.mentioned': 'mentioned {at}',
  'chart.title': 'Both clocks', 'chart.holds': 'holds in the world', 'chart.known': 'known here', 'chart.label': '{n} version, by when it holds and when it was known|{n} versions, by when they hold and when they were known', 'chart.version': '{text}: holds {since} to {until}, known {known} to {learned}', 'chart.caption': 'To the right: when it holds. Upwards: when this memory knew it. Open a rectangle to see that version.',

  'ask.placeholder': 'What did we decide in March?', 'ask.label': 'Your question', 'ask.do': 'Ask', 'ask.none': 'Ask this memory', 'ask.first': 'You see what is found and why: which words, which meaning, which dates.',
  'ask.example.1': 'What changed last month?', 'ask.example.2': 'Where do I live?', 'ask.example.3': 'What did we talk about in spring?',
  'ask.facts': 'Facts', 'ask.entries': 'Said', 'ask.chapters': 'Chapters', 'ask.conversations': 'Conversations', 'ask.outside': 'outside the time you asked about', 'ask.nothing': 'Nothing found', 'ask.nothing.hint': 'Try other words, or another time.',
  'ask.nothing.period': 'Nothing was said in the time you asked about; this comes from other times.', 'ask.words.alone': 'Found by words alone: vectors are not ready yet.', 'ask.period': 'Read as {since} to {until}', 'ask.day': 'Read as {day}', 'ask.order': 'Read as the {from} of the {of}', 'ask.order.first': 'first', 'ask.order.last': 'last', 'ask.order.conversations': 'conversations', 'ask.order.matches': 'matches',
  'ask.why': 'Why: words {words}, meaning {meaning}, dates {when}', 'ask.briefing': 'What a model gets', 'ask.briefing.hint': '{n} characters, about {tokens} tokens. A line leads to what it tells.', 'ask.missed': 'Just missed', 'ask.missed.hint': 'The next ones after the best {n}; a model does not get them.', 'copy.mcp': 'Copy as MCP call', 'copy.briefing': 'Copy the briefing', 'copy.curl': 'Copy as curl', 'copy.cli': 'Copy as command',
  'lane.words': 'words', 'lane.meaning': 'meaning', 'lane.when': 'dates', 'lane.joint': 'all together', 'lane.words.letter': 'W', 'lane.meaning.letter': 'M', 'lane.when.letter': 'D', 'lane.joint.letter': 'A',

  'live.none': 'Nothing passes at the moment', 'live.first': 'Start the server with an upstream and let an app talk through it. Every request appears here with what was added to it.', 'live.filter': 'Memory or model', 'live.pause': 'Pause', 'live.resume': 'Go on',
  'live.sent': 'What the app sent', 'live.added': 'What the model saw beside it', 'live.messages': '{n} message|{n} messages', 'live.stamped': '{n} dated', 'live.errand': 'not remembered: the app’s own task', 'live.degraded': 'Passed on without memory: {why}', 'live.nothing.new': 'Nothing new to remember', 'live.nothing.added': 'Nothing added', 'live.message': 'message {n}', 'live.ask': 'Ask why', 'live.answered': 'Answered with {n} character|Answered with {n} characters', 'live.waiting': 'Waiting for the answer…', 'live.truncated': 'cut short',

  'context.title': 'Context document', 'context.none': 'No context document yet', 'context.first': 'It is written when conversations end, or by you.', 'context.version': 'Version', 'context.compare': 'Show what changed', 'context.by': 'Written by {who}, {at}', 'context.write': 'Write', 'context.rebuild': 'Rebuild', 'context.hint': 'What you write becomes a new version; the earlier ones stay.', 'context.content': 'Document',
  'profile.title': 'Profile', 'profile.none': 'No values yet', 'chapters.title': 'Chapters', 'chapters.none': 'No chapters yet', 'summary.title': 'Summary so far', 'summary.none': 'No summary yet', 'summary.through': '{n} chapter, up to {at}|{n} chapters, up to {at}',

  'settings.operator': 'Only the operator sees this. Open the page with:',
  'health.title': 'Health', 'health.ready': 'Ready', 'health.not.ready': 'Not ready', 'health.version': 'Version {version}', 'health.waiting': '{n} job waits|{n} jobs wait', 'health.outbox': '{n} exchange waits in the outbox|{n} exchanges wait in the outbox', 'health.well': 'No problems found.', 'health.retry': 'Try again',
  'look.title': 'Appearance', 'look.theme': 'Theme', 'look.language': 'Language', 'theme.auto': 'As the system', 'theme.light': 'Light', 'theme.dark': 'Dark',
  'import.title': 'Import', 'import.hint': 'Drop a file of another program anywhere on this page, or choose it here: an export of ChatGPT, Claude, Gemini, Telegram, WhatsApp and others, or of Everwhen. Its dates are kept.', 'import.file': 'File or archive', 'import.into': 'Into the memory', 'import.by.source': 'one named after the program', 'import.one': 'One file at a time: {n} more was left out. Put them into a zip archive.|One file at a time: {n} more were left out. Put them into a zip archive.',
  'import.rehearse': 'See what would come in', 'import.do': 'Import', 'import.drop.here': 'Drop the file to import it', 'import.sending': 'Sending: {n} %', 'import.reading': 'Reading: {n} message|Reading: {n} messages', 'import.storing': 'Storing: {n} message|Storing: {n} messages',
  'import.would': '{n} entry would come in.|{n} entries would come in.', 'import.done': '{n} entry came in.|{n} entries came in.', 'import.known': '{n} was there already.|{n} were there already.', 'import.corrected': '{n} changed in its source.|{n} changed in their source.', 'import.failed': 'Nothing came in: {why}', 'import.cancelled': 'Stopped. What had come in stays; importing the file again goes on from there.',
  'import.conversations': 'Conversations', 'import.messages': 'Messages', 'import.branches': '{n} branch|{n} branches', 'import.span': 'Said', 'import.precision': 'Times known to', 'import.time.from': 'Times from', 'import.left.out': 'Left out', 'import.undated': 'Without any time', 'import.warnings': 'Worth knowing', 'import.problems': 'Could not be read', 'import.refused': 'Refused', 'import.see': 'See it', 'import.other': 'Another file',
  'import.recent': '{n} earlier import|{n} earlier imports', 'import.state.running': 'running', 'import.state.done': 'done', 'import.state.cancelled': 'stopped', 'import.state.failed': 'failed',
  'precision.us': 'the microsecond', 'precision.ms': 'the millisecond', 'precision.s': 'the second', 'precision.minute': 'the minute', 'precision.hour': 'the hour', 'precision.day': 'the day', 'precision.week': 'the week', 'precision.month': 'the month', 'precision.year': 'the year', 'precision.unknown': 'no more than the order',
  'time.stated': 'the message itself', 'time.generation': 'when it was generated', 'time.id': 'its id', 'time.neighbour': 'messages beside it', 'time.conversation': 'its conversation', 'time.file': 'the file', 'time.export': 'the export', 'time.asked': 'you',
  'export.title': 'Export', 'export.hint': 'Everything with both times as lines of JSON. Importing the file makes the same vault of it.', 'export.all': 'all memories', 'export.do': 'Download',
  'backup.title': 'Backup', 'backup.last': 'Last backup {at}, {size}', 'backup.never': 'The first backup is being made.', 'backup.schedule': 'Every {every}, the newest {keep} are kept; there are {count}.', 'backup.next': 'Next: {at}.', 'backup.none': 'The server makes no backups by itself. This in its configuration file changes that:', 'backup.now': 'One at once, while the server runs:',
  'connect.title': 'Connect', 'connect.hint': 'Programs remember through this server once they know its address.', 'connect.openai': 'OpenAI clients', 'connect.anthropic': 'Anthropic clients', 'connect.ollama': 'Ollama clients', 'connect.test': 'Test', 'connect.test.of': 'Test {name}', 'connect.testing': 'Asking…', 'connect.tools': 'Works: {n} tool|Works: {n} tools', 'connect.models': 'Works: {n} model|Works: {n} models', 'connect.failed': 'Does not work: {why}', 'connect.docs': 'The API, with a page to try it',
  'keys.title': 'Keys', 'keys.none': 'No keys: everyone on this machine may use every vault.', 'keys.label': 'Label', 'keys.vault': 'Vault', 'keys.scope': 'Scope', 'keys.used': 'Last used', 'keys.never': 'never', 'keys.add': 'Add a key', 'keys.remove': 'Remove', 'keys.remove.hint': 'Programs that use the key {name} are turned away from now on.', 'keys.made': 'The new key', 'keys.once': 'Keep it now: it is shown this once.',
  'scope.read': 'read', 'scope.write': 'read and write', 'scope.admin': 'everything in the vault',
  'usage.title': 'Language models', 'usage.none': 'No language model was used.', 'usage.day': 'Day', 'usage.model': 'Model', 'usage.purpose': 'For', 'usage.tokens': 'Tokens', 'usage.cost': 'Cost',

  'add.title': 'Add', 'add.content': 'What was said', 'add.role': 'By', 'add.at': 'When', 'add.do': 'Remember',
  'correct.title': 'Correct an entry', 'correct.hint': 'The new words take the place of the old ones. Before today the old ones stay visible.', 'correct.content': 'What it should say', 'correct.reason': 'Why', 'correct.do': 'Correct',
  'forget.hint': 'This removes it for good, with everything made of it. It cannot be brought back.', 'forget.count': '{n} entry will go.|{n} entries will go.', 'forget.atleast': 'More than {n} entries will go.', 'forget.type': 'Type {n} to confirm', 'forget.do': 'Forget for good', 'forget.entry': 'Forget an entry', 'forget.conversation': 'Forget a conversation', 'forget.memory': 'Forget the memory {name}', 'forget.period': 'Forget a period', 'forget.period.hint': 'Everything said from the first to the last of these days, in one memory.', 'forget.in': 'Memory', 'forget.after': 'From', 'forget.before': 'To', 'forget.look': 'See what would go…',
  'end.title': 'End the conversation', 'end.hint': 'What is said next begins a new one.', 'end.reason': 'Reason (optional)', 'end.do': 'End',

  'help.title': 'Keyboard', 'help.ask': 'Ask', 'help.rows': 'Next and previous row', 'help.open': 'Open the row', 'help.conversations': 'Earlier and later conversation', 'help.day': 'A day back and on', 'help.month': 'A month back and on', 'help.now': 'Back to now', 'help.memories': 'Memories', 'help.timeline': 'Timeline', 'help.goask': 'Ask', 'help.facts': 'Facts', 'help.document': 'Document', 'help.live': 'Live', 'help.settings': 'Settings', 'help.help': 'This list',
};
