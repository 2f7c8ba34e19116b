//! What holds for every table, and how a language is recognised.

use super::*;
use crate::phrase::lexer;

const NAMES: [&str; SOURCES.len()] =
    ["de", "es", "fr", "it", "nl", "pl", "pt", "ru", "zh", "ja", "ko"];

fn languages(text: &str) -> Vec<&'static str> {
    let lower = text.to_ascii_lowercase();
    candidates(text, &lexer::tokens(text, &lower)).into_iter().map(|n| NAMES[n]).collect()
}

fn english(text: &str, language: &str) -> String {
    let number = NAMES.iter().position(|name| *name == language).expect("a language");
    Translation::new(text, table(number)).english
}

#[test]
fn every_line_of_every_table_is_understood() {
    for (name, source) in NAMES.into_iter().zip(SOURCES) {
        let lines = source.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut patterns = 0;
        for line in lines {
            let table = Table::parse(line);
            let known = table.words().next().is_some() || !table.patterns().is_empty();
            assert!(known, "{name}: {line}");
            patterns += table.patterns().len();
        }
        assert!(patterns > 60, "{name} has {patterns} patterns");
    }
}

#[test]
fn every_slot_of_the_english_is_filled() {
    for (number, name) in NAMES.into_iter().enumerate() {
        for pattern in table(number).patterns() {
            for part in pattern.english.split('{').skip(1) {
                let letter = &part[..1];
                let slot = table::Slot::named(letter).expect("a slot");
                let filled = pattern
                    .elements
                    .iter()
                    .filter(|element| matches!(element, table::Element::Slot(s) if *s == slot))
                    .count();
                let needed = if part.starts_with(&format!("{letter}2}}")) { 2 } else { 1 };
                assert!(filled >= needed, "{name}: {:?} for {}", pattern.elements, pattern.english);
            }
        }
    }
}

#[test]
fn a_language_is_told_by_its_words() {
    for (text, expected) in [
        ("Was haben wir letzte Woche besprochen?", "de"),
        ("¿Qué hicimos la semana pasada?", "es"),
        ("Qu'avons-nous fait la semaine dernière ?", "fr"),
        ("Cosa abbiamo fatto la settimana scorsa?", "it"),
        ("Wat hebben we vorige week gedaan?", "nl"),
        ("Co robiliśmy w zeszłym tygodniu?", "pl"),
        ("O que fizemos na semana passada?", "pt"),
        ("Что мы делали на прошлой неделе?", "ru"),
    ] {
        assert_eq!(languages(text), [expected], "{text}");
    }
    assert_eq!(languages("先週何をしましたか"), ["ja"]);
    assert_eq!(languages("지난주에 뭐 했어?"), ["ko"]);
}

#[test]
fn english_is_english() {
    for text in [
        "What did I do in May?",
        "Will the plant die?",
        "Tell me about Mars.",
        "Mars",
        "on Monday",
        "What did we say about the Las Vegas trip last summer?",
        "Did Don Juan come in August?",
        "Is the man in the hat here?",
        "The war was in the past.",
        "She met me on 3 May 2024 in Den Haag.",
        "Was El Niño strong last winter?",
    ] {
        assert_eq!(languages(text), [""; 0], "{text}");
    }
}

fn read(text: &str) -> Vec<String> {
    let now = "2024-03-20T10:00:00Z".parse().expect("an instant");
    let zone = Zone::named("UTC").expect("a zone");
    let reading = crate::phrase::read(text, now, &zone, Prefer::Past);
    reading.phrases.into_iter().map(|phrase| phrase.text).collect()
}

#[test]
fn a_time_is_refused_beside_what_was_not_read() {
    for text in [
        "Montag bis Freitag",
        "am 1. und 5. März",
        "am 1., 3. und 5. März",
        "am 3. Mai 24",
        "zwei Tage vor meinem Geburtstag",
        "am Freitag, den 13.",
        "seit heute Morgen",
        "hace dos lunes",
        "semana 12 de 2024",
        "el viernes 13",
        "двадцать один год назад",
        "czternaście dni temu",
        "na segunda tentativa",
        "誕生日の2日前",
    ] {
        assert_eq!(read(text), [""; 0], "{text}");
    }
}

#[test]
fn a_time_stands_beside_other_words_and_numbers() {
    for (text, phrase) in [
        ("Gestern 3 Bücher gekauft", "Gestern"),
        ("im Mai habe ich 3 Bücher gelesen", "im Mai"),
        ("Ich habe gestern bis spät gearbeitet", "gestern"),
        ("Fui a casa ayer", "ayer"),
        ("gestern nach 18 Uhr", "gestern"),
        ("Ich habe ein Auto am 5. März gekauft", "am 5. März"),
        ("Compré una casa el 5 de marzo", "el 5 de marzo"),
        ("Je suis allé une fois le 5 mars", "le 5 mars"),
        ("Der Termin ist Montag 15 Uhr", "Montag 15 Uhr"),
        ("Ich habe 2 im März 2024 gekauft", "im März 2024"),
        ("à 15 h le 5 mars", "à 15 h le 5 mars"),
        ("alle 15 del 5 marzo", "alle 15 del 5 marzo"),
        ("hier au cinéma", "hier"),
        ("la réunion du 5 mars", "du 5 mars"),
        ("ho comprato 3 libri ieri", "ieri"),
    ] {
        assert_eq!(read(text), [phrase], "{text}");
    }
}

#[test]
fn morning_is_not_tomorrow() {
    for text in [
        "Guten Morgen!",
        "Morgen, wie geht es dir?",
        "Am Morgen war ich müde.",
        "Jeden Morgen trinke ich Kaffee.",
        "am nächsten Morgen",
        "por la mañana",
        "cada mañana",
        "Goede morgen!",
        "in de morgen",
        "De manhã tomo café.",
        "早上好",
        "おはようございます",
    ] {
        assert_eq!(read(text), [""; 0], "{text}");
    }
    assert_eq!(read("Morgen gehe ich zum Arzt."), ["Morgen"]);
    assert_eq!(read("mañana por la mañana"), ["mañana por la mañana"]);
}

#[test]
fn a_phrase_is_rewritten_and_the_rest_is_unknown() {
    assert_eq!(english("Was war vor drei Tagen los?", "de"), "ø was 3 day ago ø?");
    assert_eq!(english("am 3. Mai 2024", "de"), "on 3 May 2024");
    assert_eq!(english("le 1er mai", "fr"), "on 1 May");
    assert_eq!(english("2024年5月3日", "zh"), "on 3 May 2024");
    assert_eq!(english("二十三天前", "zh"), "23 day ago");
    assert_eq!(english("３日前", "ja"), "3 day ago");
    assert_eq!(english("03/05/2024", "es"), "on 2024-05-03");
}
