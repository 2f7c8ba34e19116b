//! Charts as SVG, drawn here so that a report needs nothing from elsewhere.

/// Width of a drawing.
const WIDTH: f64 = 640.0;
/// Where bars begin.
const LEFT: f64 = 200.0;
const ROW: f64 = 24.0;

/// Horizontal bars, each made of parts that stand behind each other: `(name, parts, note)`.
pub(super) fn bars(rows: &[(String, Vec<f64>, String)], whole: f64) -> String {
    let height = ROW * rows.len() as f64 + 8.0;
    let mut drawing = String::new();
    for (at, (name, parts, note)) in rows.iter().enumerate() {
        let y = ROW * at as f64 + 4.0;
        drawing += &label(LEFT - 8.0, y + 13.0, "end", name);
        let mut x = LEFT;
        for (kind, part) in parts.iter().enumerate() {
            let width = (WIDTH - LEFT - 110.0) * (part / whole.max(1e-9)).clamp(0.0, 1.0);
            drawing += &format!(
                r#"<rect class="part{kind}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="17"/>"#
            );
            x += width;
        }
        drawing += &label(x + 6.0, y + 13.0, "start", note);
    }
    frame(height, &drawing)
}

/// Intervals of time beside each other: `(from, to)` as shares of the whole.
pub(super) fn intervals(rows: &[(String, f64, f64)]) -> String {
    let height = 6.0 * rows.len() as f64 + 8.0;
    let mut drawing = String::new();
    for (at, (name, from, to)) in rows.iter().enumerate() {
        let (x, width) = (WIDTH * from, (WIDTH * (to - from)).max(1.0));
        let y = 6.0 * at as f64 + 4.0;
        let name = escape(name);
        drawing += &format!(
            r#"<rect class="part0" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="4"><title>{name}</title></rect>"#
        );
    }
    frame(height, &drawing)
}

fn frame(height: f64, drawing: &str) -> String {
    format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img">{drawing}</svg>"#)
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    let text = escape(text);
    format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#)
}

/// Text that cannot be taken for markup.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share_and_names_are_no_markup() {
        let drawing = bars(&[("<b>".into(), vec![50.0, 50.0], "half".into())], 100.0);
        assert!(drawing.contains("&lt;b&gt;") && !drawing.contains("<b>"));
        assert_eq!(drawing.matches(r#"width="165.0""#).count(), 2);
    }
}
