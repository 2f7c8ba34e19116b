//! Rust source as the tidy test sees it: code without comments and texts, and its functions.

/// The code with every comment, text and letter blanked out; lines stay where they are.
pub(crate) fn code(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let mut code = String::new();
    let mut at = 0;
    while at < letters.len() {
        let end = at + blank_length(&letters, at);
        if end == at {
            code.push(letters[at]);
            at += 1;
            continue;
        }
        let blank = letters[at..end].iter().map(|letter| if *letter == '\n' { '\n' } else { ' ' });
        code.extend(blank);
        at = end;
    }
    code
}

/// The texts in quotes, each with the line on which it begins.
pub(crate) fn texts(source: &str) -> Vec<(usize, String)> {
    let letters: Vec<char> = source.chars().collect();
    let mut texts = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < letters.len() {
        let end = at + blank_length(&letters, at).max(1);
        let part: String = letters[at..end].iter().collect();
        let lines = part.matches('\n').count();
        if end - at > 1 && matches!(letters[at], '"' | 'r') {
            texts.push((line, part));
        }
        (at, line) = (end, line + lines);
    }
    texts
}

/// The names of the types that code declares, at every visibility; not those inside an `impl`.
pub(crate) fn type_names(code: &str) -> Vec<String> {
    let declared = |line: &str| {
        let line = line.strip_prefix("pub").unwrap_or(line);
        let line =
            line.strip_prefix('(').and_then(|line| line.split_once(')')).map_or(line, |it| it.1);
        let mut words = line.trim_start().split(|l: char| !l.is_alphanumeric() && l != '_');
        let is_type = matches!(words.next(), Some("struct" | "enum" | "trait" | "type"));
        words.next().filter(|_| is_type).map(str::to_owned)
    };
    code.lines().filter(|line| !line.starts_with(' ')).filter_map(declared).collect()
}

/// The variants of an enum that code declares.
pub(crate) fn variants(code: &str, name: &str) -> Vec<String> {
    let declared = code.split_once(&format!("enum {name} {{")).map_or("", |it| it.1);
    let body = declared.split_once("\n}").map_or(declared, |it| it.0);
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let names = lines.filter(|line| line.starts_with(char::is_uppercase));
    names.map(|line| line.split([' ', '(', ',', '{']).next().unwrap_or(line).to_owned()).collect()
}

/// How long the comment, text or letter is that begins here; 0 if none does.
fn blank_length(letters: &[char], at: usize) -> usize {
    let rest = &letters[at..];
    match rest {
        ['/', '/', ..] => rest.iter().position(|letter| *letter == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => quoted(rest, '"'),
        ['\'', '\\', ..] => quoted(rest, '\''),
        ['\'', _, '\'', ..] => 3,
        ['r', '"' | '#', ..] if !is_in_word(letters, at) => raw_text(rest),
        _ => 0,
    }
}

/// Whether the letter here goes on with a word; `br"…"` and `cr"…"` are texts all the same.
fn is_in_word(letters: &[char], at: usize) -> bool {
    let mut before = letters[..at].iter().rev();
    let word = |letter: Option<&char>| letter.is_some_and(|l| l.is_alphanumeric() || *l == '_');
    match before.next() {
        Some('b' | 'c') => word(before.next()),
        letter => word(letter),
    }
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[char], mark: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != mark {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn raw_text(rest: &[char]) -> usize {
    let fences = rest[1..].iter().take_while(|letter| **letter == '#').count();
    if rest.get(1 + fences) != Some(&'"') {
        return 0;
    }
    let close: Vec<char> = std::iter::once('"').chain(vec!['#'; fences]).collect();
    let inside = &rest[fences + 2..];
    let end = inside.windows(close.len()).position(|window| window == close);
    end.map_or(rest.len(), |end| fences + 2 + end + close.len())
}

/// One function: where it begins and how many lines it has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) length: usize,
}

/// The functions of blanked code that have a body.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let starts = code.match_indices("fn ").filter(|(at, _)| {
        let before = code[..*at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    });
    starts.filter_map(|(at, _)| function(code, at)).collect()
}

fn function(code: &str, at: usize) -> Option<Function> {
    let named = &code[at + 3..];
    let end = named.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    if end == 0 {
        return None;
    }
    let body = at + body_start(&code[at..])?;
    let close = body + body_length(&code[body..])?;
    let lines = |text: &str| text.matches('\n').count();
    Some(Function {
        name: named[..end].to_owned(),
        line: lines(&code[..at]) + 1,
        length: lines(&code[at..close]) + 1,
    })
}

/// Where the body begins; nothing if the function is only declared.
fn body_start(rest: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn body_length(body: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in body.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[test]
fn texts_and_comments_are_blanked() {
    for (source, left) in [
        ("a // b\nc", "a c"),
        ("a /* b /* c */ d */ e", "a e"),
        (r#"f("a \" } b", x)"#, "f( , x)"),
        ("f(r#\"a \" } b\"#, br\"}\", x)", "f( , b , x)"),
        ("match c { '{' => 'a', '\\'' => '\\u{7d}' }", "match c { => , => }"),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("for r in b { c }", "for r in b { c }"),
    ] {
        let code = code(source);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), left);
        assert_eq!(code.chars().count(), source.chars().count(), "{source}");
        assert_eq!(code.matches('\n').count(), source.matches('\n').count(), "{source}");
    }
}

#[test]
fn functions_are_measured_from_name_to_brace() {
    let source = "trait T { fn only(&self) -> [u8; 3]; }\nfn one() {}\n\
                  fn three<F: Fn(u8) -> u8>(f: fn(u8)) -> [u8; 2] {\n    \"}\"\n}\n";
    let found: Vec<(String, usize, usize)> =
        functions(&code(source)).into_iter().map(|f| (f.name, f.line, f.length)).collect();
    assert_eq!(found, [("one".to_owned(), 2, 1), ("three".to_owned(), 3, 3)]);
}

#[test]
fn types_are_found_at_any_visibility() {
    let code = "pub(in crate::a) struct One {\nenum Two<T> {\nimpl Two {\n    type Three = u8;\n}\nfn four() {}";
    assert_eq!(type_names(code), ["One", "Two"]);
}

#[test]
fn texts_in_quotes_are_found() {
    let source = "fn one() { // \"no\"\n    two(\"a \\\"b\\\"\", 'c',\n r#\"d\"#)\n}";
    let found = [(2, "\"a \\\"b\\\"\"".to_owned()), (3, "r#\"d\"#".to_owned())];
    assert_eq!(texts(source), found);
}

#[test]
fn variants_are_listed() {
    let code = "enum One {\n    A,\n    B {\n        inner: U8,\n    },\n    C(u8),\n}\nenum Two {\n    D,\n}";
    assert_eq!(variants(code, "One"), ["A", "B", "C"]);
}
