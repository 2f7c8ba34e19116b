"""More phrases of other languages: greetings, parts of a day, ranges with two ends, times beside another time.

Each entry is a meaning and what is said for it, by language; a language without a usual way of saying it is left out.
"""

from datetime import date

from almanac import DAY, joined, nth_weekday, one


def over_new_month(q):
    """From 28 February to 3 March of the same year, the latest of which 3 March has begun."""
    last = q.date(3, 3)
    return date(last[0].year, 2, 28), last[1]


MEANINGS = [
    # Good morning, what did I say last week?
    (lambda q: q.turn(-1, "week"), {
        "de": "Guten Morgen, was habe ich letzte Woche gesagt?", "es": "Buenos días, ¿qué dije la semana pasada?",
        "fr": "Bonjour, qu'ai-je dit la semaine dernière ?", "it": "Buongiorno, cosa ho detto la settimana scorsa?",
        "nl": "Goede morgen, wat heb ik vorige week gezegd?", "pl": "Dzień dobry, co mówiłem w zeszłym tygodniu?",
        "pt": "Bom dia, o que eu disse na semana passada?", "ru": "Доброе утро, что я говорил на прошлой неделе?",
        "zh": "早上好，我上周说了什么？", "ja": "おはよう、先週何を言いましたか？", "ko": "좋은 아침, 지난주에 내가 뭐라고 했지?",
    }),
    # yesterday morning
    (lambda q: q.part(q.day(-1), "morning"), {
        "de": "gestern Morgen", "es": "ayer por la mañana", "fr": "hier matin", "it": "ieri mattina",
        "nl": "gisterochtend", "pl": "wczoraj rano", "pt": "ontem de manhã", "ru": "вчера утром", "zh": "昨天早上",
        "ja": "昨日の朝", "ko": "어제 아침",
    }),
    # tomorrow evening
    (lambda q: q.part(q.day(1), "evening"), {
        "de": "morgen Abend", "fr": "demain soir", "it": "domani sera", "nl": "morgenavond", "pl": "jutro wieczorem",
        "ru": "завтра вечером", "zh": "明天晚上", "ja": "明日の夕方", "ko": "내일 저녁",
    }),
    # tonight
    (lambda q: q.part(q.day(0), "night"), {
        "de": "heute Nacht", "es": "esta noche", "fr": "cette nuit", "it": "stanotte", "nl": "vannacht",
        "pl": "dzisiaj w nocy", "pt": "esta noite", "ru": "сегодня ночью", "zh": "今晚", "ja": "今夜", "ko": "오늘 밤",
    }),
    # the morning of 3 March
    (lambda q: q.part(q.date(3, 3), "morning"), {
        "de": "am Morgen des 3. März", "es": "la mañana del 3 de marzo", "fr": "le matin du 3 mars",
        "it": "la mattina del 3 marzo", "nl": "de ochtend van 3 maart", "pl": "rankiem 3 marca",
        "pt": "na manhã de 3 de março", "ru": "утром 3 марта", "zh": "3月3日早上", "ja": "3月3日の朝", "ko": "3월 3일 아침",
    }),
    # on Monday morning
    (lambda q: q.part(q.weekday("Monday"), "morning"), {
        "de": "am Montag früh", "es": "el lunes por la mañana", "fr": "lundi matin", "it": "lunedì mattina",
        "nl": "maandagochtend", "pl": "w poniedziałek rano", "pt": "na segunda-feira de manhã",
        "ru": "в понедельник утром", "zh": "周一早上", "ja": "月曜日の朝", "ko": "월요일 아침",
    }),
    # from 1 to 5 March
    (lambda q: joined(q.date(3, 1), q.date(3, 5)), {
        "de": "vom 1. bis 5. März", "es": "del 1 al 5 de marzo", "fr": "du 1er au 5 mars", "it": "dal 1 al 5 marzo",
        "nl": "van 1 tot 5 maart", "pl": "od 1 do 5 marca", "pt": "de 1 a 5 de março", "ru": "с 1 по 5 марта",
        "zh": "3月1日到5日", "ja": "3月1日から5日まで", "ko": "3월 1일부터 5일까지",
    }),
    # from 1 to 5 March 2020
    (lambda q: joined(one(date(2020, 3, 1)), one(date(2020, 3, 5))), {
        "de": "vom 1. bis zum 5. März 2020", "es": "desde el 1 hasta el 5 de marzo de 2020",
        "fr": "du 1er au 5 mars 2020", "it": "dal 1° al 5 marzo 2020", "nl": "van 1 tot en met 5 maart 2020",
        "pl": "od 1 do 5 marca 2020 roku", "pt": "de 1 a 5 de março de 2020", "ru": "с 1-го по 5-е марта 2020 года",
        "zh": "2020年3月1日至5日", "ja": "2020年3月1日から5日まで", "ko": "2020년 3월 1일부터 5일까지",
    }),
    # 1-5 March
    (lambda q: joined(q.date(3, 1), q.date(3, 5)), {
        "de": "1.-5. März", "es": "1-5 de marzo", "fr": "les 1-5 mars", "it": "1-5 marzo", "nl": "1-5 maart",
        "pl": "1-5 marca", "pt": "1-5 de março", "ru": "1-5 марта", "zh": "3月1日-5日", "ja": "3月1日〜5日",
        "ko": "3월 1일~5일",
    }),
    # from 28 December 2021 to 3 January 2022
    (lambda q: joined(one(date(2021, 12, 28)), one(date(2022, 1, 3))), {
        "de": "vom 28.12.2021 bis 3.1.2022", "es": "del 28/12/2021 al 03/01/2022",
        "fr": "du 28/12/2021 au 03/01/2022", "it": "dal 28/12/2021 al 03/01/2022",
        "nl": "van 28-12-2021 tot 3-1-2022", "pl": "od 28.12.2021 do 3.01.2022", "pt": "de 28/12/2021 a 03/01/2022",
        "ru": "с 28.12.2021 по 03.01.2022", "zh": "从2021年12月28日到2022年1月3日", "ja": "2021年12月28日から2022年1月3日まで",
        "ko": "2021년 12월 28일부터 2022년 1월 3일까지",
    }),
    # from 28 February to 3 March
    (lambda q: over_new_month(q), {
        "de": "vom 28.2. bis 3.3.", "es": "del 28 de febrero al 3 de marzo", "fr": "du 28 février au 3 mars",
        "it": "dal 28 febbraio al 3 marzo", "nl": "van 28 februari tot 3 maart", "pl": "od 28 lutego do 3 marca",
        "pt": "de 28 de fevereiro a 3 de março", "ru": "с 28 февраля по 3 марта", "zh": "从2月28日到3月3日",
        "ja": "2月28日から3月3日まで", "ko": "2월 28일부터 3월 3일까지",
    }),
    # two days before Christmas
    (lambda q: one(q.holiday("Christmas")[0] - 2 * DAY), {
        "de": "zwei Tage vor Weihnachten", "es": "dos días antes de Navidad", "fr": "deux jours avant Noël",
        "it": "due giorni prima di Natale", "nl": "twee dagen voor Kerstmis", "pl": "dwa dni przed Bożym Narodzeniem",
        "pt": "dois dias antes do Natal", "ru": "за два дня до Рождества", "zh": "圣诞节前两天", "ja": "クリスマスの2日前",
        "ko": "크리스마스 2일 전",
    }),
    # three days after New Year's Eve
    (lambda q: one(q.holiday("New Year's Eve")[0] + 3 * DAY), {
        "de": "drei Tage nach Silvester", "es": "tres días después de Nochevieja",
        "fr": "trois jours après la Saint-Sylvestre", "it": "tre giorni dopo San Silvestro",
        "nl": "drie dagen na oudejaarsavond", "pl": "trzy dni po sylwestrze", "pt": "três dias depois do Réveillon",
        "zh": "跨年夜后三天", "ja": "大晦日の3日後",
    }),
    # the first Monday in March
    (lambda q: one(nth_weekday(q.month_named("March")[0].year, 3, 1, 0)), {
        "de": "am ersten Montag im März", "es": "el primer lunes de marzo", "fr": "le premier lundi de mars",
        "it": "il primo lunedì di marzo", "nl": "op de eerste maandag van maart",
        "pl": "w pierwszy poniedziałek marca", "pt": "na primeira segunda-feira de março",
        "ru": "в первый понедельник марта", "zh": "三月的第一个星期一", "ja": "3月の第一月曜日", "ko": "3월 첫째 월요일",
    }),
    # the last Friday in May 2021
    (lambda q: one(nth_weekday(2021, 5, -1, 4)), {
        "de": "am letzten Freitag im Mai 2021", "es": "el último viernes de mayo de 2021",
        "fr": "le dernier vendredi de mai 2021", "it": "l'ultimo venerdì di maggio 2021",
        "nl": "de laatste vrijdag van mei 2021", "pl": "w ostatni piątek maja 2021",
        "pt": "na última sexta-feira de maio de 2021", "ru": "в последнюю пятницу мая 2021 года",
        "zh": "2021年5月最后一个星期五", "ja": "2021年5月の最後の金曜日", "ko": "2021년 5월 마지막 금요일",
    }),
    # from 1 March on
    (lambda q: q.since(q.date(3, 1)), {
        "de": "ab 1. März", "es": "a partir del 1 de marzo", "fr": "à partir du 1er mars",
        "it": "a partire dal 1 marzo", "nl": "vanaf 1 maart", "pl": "od 1 marca", "pt": "a partir de 1 de março",
        "ru": "начиная с 1 марта", "zh": "从3月1日起", "ja": "3月1日から", "ko": "3월 1일부터",
    }),
]

# What names no time, or more than is read, with the reason.
REFUSED = {
    "de": [
        ("Jeden Morgen trinke ich Kaffee.", "a habit"),
        ("Am Morgen war ich müde.", "no day"),
        ("am 1. und 5. März", "two dates"),
        ("der Plan für Woche 12 2024", "a week by its number"),
    ],
    "es": [
        ("Por la mañana tomo café.", "a habit"),
        ("Cada mañana tomo café.", "a habit"),
        ("los días 1 y 5 de marzo", "two dates"),
    ],
    "fr": [
        ("Le matin je bois du café.", "a habit"),
        ("les 1er et 5 mars", "two dates"),
    ],
    "it": [
        ("La mattina bevo il caffè.", "a habit"),
        ("il 1 e 5 marzo", "two dates"),
    ],
    "nl": [
        ("Elke morgen drink ik koffie.", "a habit"),
        ("op 1 en 5 maart", "two dates"),
    ],
    "pl": [
        ("Rano piję kawę.", "a habit"),
        ("1 i 5 marca", "two dates"),
    ],
    "pt": [
        ("De manhã tomo café.", "a habit"),
        ("nos dias 1 e 5 de março", "two dates"),
    ],
    "ru": [
        ("Утром я пью кофе.", "a habit"),
        ("1 и 5 марта", "two dates"),
    ],
    "zh": [
        ("早上我喝咖啡。", "a habit"),
    ],
    "ja": [
        ("朝はコーヒーを飲みます。", "a habit"),
        ("誕生日の2日前", "no time"),
    ],
    "ko": [
        ("아침에 커피를 마신다.", "a habit"),
    ],
}
