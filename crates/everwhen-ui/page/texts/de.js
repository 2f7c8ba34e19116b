// Deutsch. Was hier fehlt, steht auf Englisch da.
export default {
  skip: 'Zum Inhalt', 'just.now': 'gerade eben', loading: 'Lädt…', close: 'Schließen', cancel: 'Abbrechen', save: 'Sichern', copy: 'Kopieren', copied: 'Kopiert', print: 'Drucken', rename: 'Umbenennen',
  filter: 'Zeigen', 'filter.all': 'Alle', forget: 'Vergessen', correct: 'Berichtigen', pin: 'Anheften', pinned: 'Angeheftet',
  lost: 'Der Server antwortet nicht. Die Seite macht weiter, sobald er wieder da ist.',
  'failure.unreachable': 'Der Server ist nicht erreichbar.',

  'nav.where': 'Wo Sie sind', 'nav.server': 'Server', 'nav.views': 'Ansichten dieses Gedächtnisses',
  'nav.memories': 'Gedächtnisse', 'nav.timeline': 'Zeitleiste', 'nav.conversation': 'Gespräch', 'nav.facts': 'Fakten', 'nav.ask': 'Fragen', 'nav.document': 'Dokument', 'nav.live': 'Live', 'nav.settings': 'Einstellungen',

  'key.title': 'Dieser Server verlangt einen Schlüssel', 'key.hint': 'Fügen Sie einen API-Schlüssel ein oder das Token des Betreibers.', 'key.label': 'Schlüssel', 'key.use': 'Verwenden', 'key.forget': 'Schlüssel dieses Tabs vergessen',
  'key.where': 'Der Schlüssel bleibt in diesem Tab. „everwhen ui“ öffnet die Seite mit ihm; „everwhen keys add“ macht einen.',

  'role.user': 'Nutzer', 'role.assistant': 'Assistent', 'role.system': 'System', 'role.tool': 'Werkzeug',
  entries: '{n} Eintrag|{n} Einträge', messages: '{n} Nachricht|{n} Nachrichten',

  'moment.label': 'Der gezeigte Zeitpunkt', 'moment.said': 'gesagt', 'moment.known': 'bekannt', 'moment.now': 'jetzt',
  'moment.said.long': 'Was bis dahin gesagt war', 'moment.known.long': 'Was dieses Gedächtnis damals wusste',
  'moment.said.type': 'Gesagt bis: Datum', 'moment.known.type': 'Bekannt bis: Datum', 'moment.type.hint': 'Ein Datum wie 2025-06-08, 2025-06 oder 2025-06-08 14:30. Leer heißt jetzt.',
  'density.none': 'Noch nichts', 'density.said': '{total} Einträge, gesagt vom {from} bis zum {to}', 'density.known': '{total} Einträge, gespeichert vom {from} bis zum {to}',
  'banner.said': 'Was bis {said} gesagt war.', 'banner.known': 'Dieses Gedächtnis, wie es am {known} war.', 'banner.both': 'Dieses Gedächtnis, wie es am {known} war: was bis {said} gesagt war.',
  'banner.locked': 'Die Vergangenheit lässt sich nicht ändern.', 'banner.back': 'Zurück zu jetzt',

  'vaults.title': 'Tresore', 'memories.title': 'Gedächtnisse', 'memories.none': 'Noch ist nichts gemerkt', 'memories.first': 'Sagen Sie etwas, lassen Sie ein Programm durch den Proxy sprechen, oder sehen Sie sich ein erfundenes Jahr an:',
  'memory.empty': 'Noch nichts gesagt', 'memory.new': 'Neues Gedächtnis', 'memory.rename': 'Gedächtnis umbenennen', 'memory.name': 'Name', 'memory.description': 'Beschreibung',

  'timeline.none': 'Hier wurde noch nichts gesagt', 'timeline.first': 'Fügen Sie etwas hinzu, oder lassen Sie ein Programm durch den Proxy sprechen.', 'timeline.nothing': 'Bis dahin nichts', 'timeline.nothing.hint': 'Am {at} war dieses Gedächtnis leer.',
  'timeline.older': 'Früher…', 'timeline.beginning': 'Der Anfang', 'timeline.until': 'Bis {at}', 'timeline.silence': '{pause} Stille',
  'pause.days': '{n} Tag|{n} Tage', 'pause.months': '{n} Monat|{n} Monate', 'pause.years': '{n} Jahr|{n} Jahre',
  'duration.seconds': '{n} s', 'duration.minutes': '{n} Min.', 'duration.hours': '{h} Std. {m} Min.',

  'entry.more': 'Alles zeigen', 'entry.whole': 'Alle {n} Zeichen zeigen', 'entry.hidden': 'Ein Zeichen, das man sonst nicht sieht', 'entry.corrects': 'Berichtigt: {reason}', 'entry.corrected': 'Berichtigt am {at}: {reason}', 'entry.tools': 'Werkzeuge: {names}',

  'conversation.untitled': 'Gespräch', 'conversation.open': 'läuft noch', 'conversation.span': '{from} bis {to}', 'conversation.ended.pause': 'durch eine Pause beendet', 'conversation.ended.word': 'beendet: {reason}',
  'conversation.learned': 'Hier erfahren', 'conversation.previous': 'Früher', 'conversation.next': 'Später', branches: 'Zweige', 'branch.main': 'Gültig', 'branch.left': 'Verlassen am {at} ({n})', work: '{active} Arbeit, {idle} Warten',

  'facts.none': 'Keine Fakten', 'facts.first': 'Fakten werden gefunden, wenn ein Gespräch endet. Bewegen Sie die Uhren, oder kommen Sie später wieder.', 'facts.values': 'Werte', 'facts.statements': 'Aussagen', 'facts.about': 'was am {day} gilt', 'facts.since': 'seit {at}', 'facts.until': 'bis {at}',
  'fact.title': 'Fakt', 'fact.holds': 'Gilt', 'fact.known': 'Bekannt', 'fact.source': 'Quelle', 'fact.confirmed': 'so gesagt', 'fact.inferred': 'geschlossen', 'fact.open': 'ohne Daten', 'fact.evidence': 'Belege', 'fact.mentioned': 'erwähnt am {at}',
  'chart.title': 'Beide Uhren', 'chart.holds': 'gilt in der Welt', 'chart.known': 'hier bekannt', 'chart.label': '{n} Fassung, danach, wann sie gilt und wann sie bekannt war|{n} Fassungen, danach, wann sie gelten und wann sie bekannt waren', 'chart.version': '{text}: gilt {since} bis {until}, bekannt {known} bis {learned}', 'chart.caption': 'Nach rechts: wann es gilt. Nach oben: wann dieses Gedächtnis es wusste. Ein Rechteck öffnet die Fassung.',

  'ask.placeholder': 'Was haben wir im März entschieden?', 'ask.label': 'Ihre Frage', 'ask.do': 'Fragen', 'ask.none': 'Fragen Sie dieses Gedächtnis', 'ask.first': 'Sie sehen, was gefunden wird und warum: welche Wörter, welche Bedeutung, welche Daten.',
  'ask.example.1': 'What changed last month?', 'ask.example.2': 'Where do I live?', 'ask.example.3': 'What did we talk about in spring?',
  'ask.facts': 'Fakten', 'ask.entries': 'Gesagt', 'ask.chapters': 'Kapitel', 'ask.conversations': 'Gespräche', 'ask.outside': 'außerhalb der gefragten Zeit', 'ask.nothing': 'Nichts gefunden', 'ask.nothing.hint': 'Versuchen Sie andere Wörter oder eine andere Zeit.',
  'ask.nothing.period': 'In der gefragten Zeit wurde nichts gesagt; dies ist aus anderen Zeiten.', 'ask.words.alone': 'Nur nach Wörtern gefunden: die Vektoren sind noch nicht fertig.', 'ask.period': 'Gelesen als {since} bis {until}', 'ask.order': 'Gelesen als {from} der {of}', 'ask.order.first': 'erste', 'ask.order.last': 'letzte', 'ask.order.conversations': 'Gespräche', 'ask.order.matches': 'Treffer',
  'ask.why': 'Warum: Wörter {words}, Bedeutung {meaning}, Daten {when}', 'ask.briefing': 'Was ein Modell bekommt', 'ask.briefing.hint': '{n} Zeichen', 'copy.briefing': 'Text kopieren', 'copy.curl': 'Als curl kopieren', 'copy.cli': 'Als Befehl kopieren',
  'lane.words': 'Wörter', 'lane.meaning': 'Bedeutung', 'lane.when': 'Daten', 'lane.joint': 'alle zusammen', 'lane.words.letter': 'W', 'lane.meaning.letter': 'B', 'lane.when.letter': 'D', 'lane.joint.letter': 'A',

  'live.none': 'Gerade kommt nichts vorbei', 'live.first': 'Starten Sie den Server mit einem Upstream, und lassen Sie ein Programm durch ihn sprechen. Jede Anfrage erscheint hier mit dem, was ihr hinzugefügt wurde.', 'live.filter': 'Gedächtnis oder Modell', 'live.pause': 'Anhalten', 'live.resume': 'Weiter',
  'live.sent': 'Was das Programm schickte', 'live.added': 'Was das Modell dazu sah', 'live.messages': '{n} Nachricht|{n} Nachrichten', 'live.stamped': '{n} datiert', 'live.errand': 'nicht gemerkt: eigene Aufgabe des Programms', 'live.degraded': 'Ohne Gedächtnis weitergegeben: {why}', 'live.nothing.new': 'Nichts Neues zu merken', 'live.nothing.added': 'Nichts hinzugefügt', 'live.message': 'Nachricht {n}', 'live.answered': 'Mit {n} Zeichen beantwortet|Mit {n} Zeichen beantwortet', 'live.waiting': 'Wartet auf die Antwort…', 'live.truncated': 'abgeschnitten',

  'context.title': 'Kontextdokument', 'context.none': 'Noch kein Kontextdokument', 'context.first': 'Es entsteht, wenn Gespräche enden, oder Sie schreiben es.', 'context.version': 'Fassung', 'context.compare': 'Änderungen zeigen', 'context.by': 'Geschrieben von {who}, {at}', 'context.write': 'Schreiben', 'context.rebuild': 'Neu erstellen', 'context.hint': 'Was Sie schreiben, wird eine neue Fassung; die früheren bleiben.', 'context.content': 'Dokument',
  'profile.title': 'Profil', 'profile.none': 'Noch keine Werte', 'chapters.title': 'Kapitel', 'chapters.none': 'Noch keine Kapitel', 'summary.title': 'Zusammenfassung bisher', 'summary.none': 'Noch keine Zusammenfassung', 'summary.through': '{n} Kapitel, bis {at}|{n} Kapitel, bis {at}',

  'settings.operator': 'Das sieht nur der Betreiber. Öffnen Sie die Seite mit:',
  'health.title': 'Zustand', 'health.ready': 'Bereit', 'health.not.ready': 'Nicht bereit', 'health.version': 'Version {version}', 'health.waiting': '{n} Auftrag wartet|{n} Aufträge warten', 'health.outbox': '{n} Austausch wartet im Ausgang|{n} warten im Ausgang', 'health.well': 'Keine Probleme gefunden.', 'health.retry': 'Erneut versuchen',
  'look.title': 'Aussehen', 'look.theme': 'Farben', 'look.language': 'Sprache', 'theme.auto': 'Wie das System', 'theme.light': 'Hell', 'theme.dark': 'Dunkel',
  'connect.title': 'Verbinden', 'connect.hint': 'Programme merken sich alles über diesen Server, sobald sie seine Adresse kennen.', 'connect.openai': 'Programme für OpenAI', 'connect.anthropic': 'Programme für Anthropic', 'connect.ollama': 'Programme für Ollama', 'connect.docs': 'Die API, mit einer Seite zum Ausprobieren',
  'keys.title': 'Schlüssel', 'keys.none': 'Keine Schlüssel: alle auf diesem Rechner dürfen alle Tresore benutzen.', 'keys.label': 'Bezeichnung', 'keys.vault': 'Tresor', 'keys.scope': 'Recht', 'keys.used': 'Zuletzt benutzt', 'keys.never': 'nie', 'keys.add': 'Schlüssel machen', 'keys.remove': 'Entfernen', 'keys.remove.hint': 'Programme mit dem Schlüssel {name} werden ab jetzt abgewiesen.', 'keys.made': 'Der neue Schlüssel', 'keys.once': 'Bewahren Sie ihn auf: er wird nur jetzt gezeigt.',
  'scope.read': 'lesen', 'scope.write': 'lesen und schreiben', 'scope.admin': 'alles im Tresor',
  'usage.title': 'Sprachmodelle', 'usage.none': 'Kein Sprachmodell wurde benutzt.', 'usage.day': 'Tag', 'usage.model': 'Modell', 'usage.purpose': 'Für', 'usage.tokens': 'Token', 'usage.cost': 'Kosten',

  'add.title': 'Hinzufügen', 'add.content': 'Was gesagt wurde', 'add.role': 'Von', 'add.at': 'Wann', 'add.do': 'Merken',
  'correct.title': 'Eintrag berichtigen', 'correct.hint': 'Die neuen Worte treten an die Stelle der alten. In der Vergangenheit bleiben die alten sichtbar.', 'correct.content': 'Was dort stehen soll', 'correct.reason': 'Warum', 'correct.do': 'Berichtigen',
  'forget.hint': 'Das entfernt es für immer, mit allem, was daraus gemacht wurde. Es lässt sich nicht zurückholen.', 'forget.count': '{n} Eintrag verschwindet.|{n} Einträge verschwinden.', 'forget.atleast': 'Mehr als {n} Einträge verschwinden.', 'forget.type': 'Zur Bestätigung {n} eingeben', 'forget.do': 'Für immer vergessen', 'forget.entry': 'Eintrag vergessen', 'forget.conversation': 'Gespräch vergessen', 'forget.memory': 'Gedächtnis {name} vergessen', 'forget.period': 'Zeitraum vergessen', 'forget.period.hint': 'Alles, was vom ersten bis zum letzten dieser Tage gesagt wurde, in einem Gedächtnis.', 'forget.in': 'Gedächtnis', 'forget.after': 'Von', 'forget.before': 'Bis', 'forget.look': 'Ansehen, was verschwände…',
  'end.title': 'Gespräch beenden', 'end.hint': 'Was danach gesagt wird, beginnt ein neues.', 'end.reason': 'Grund (freiwillig)', 'end.do': 'Beenden',

  'help.title': 'Tastatur', 'help.ask': 'Fragen', 'help.rows': 'Nächste und vorige Zeile', 'help.open': 'Zeile öffnen', 'help.conversations': 'Früheres und späteres Gespräch', 'help.day': 'Einen Tag zurück und vor', 'help.month': 'Einen Monat zurück und vor', 'help.now': 'Zurück zu jetzt', 'help.memories': 'Gedächtnisse', 'help.timeline': 'Zeitleiste', 'help.goask': 'Fragen', 'help.facts': 'Fakten', 'help.document': 'Dokument', 'help.live': 'Live', 'help.settings': 'Einstellungen', 'help.help': 'Diese Liste',
};
