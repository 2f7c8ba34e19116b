//! `docs/wilmer.md` holds the reference that the code prints. To write it again after a change:
//! `EVERWHEN_WRITE_DOCS=1 cargo test -p everwhen-workflow --test reference`.

const BEGIN: &str = "<!-- reference: begin -->\n";
const END: &str = "<!-- reference: end -->";

#[test]
fn the_document_holds_the_reference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/wilmer.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (inside, after) = rest.split_once(END).unwrap();
    let wanted = format!("\n{}\n", everwhen_workflow::reference());
    if option_env!("EVERWHEN_WRITE_DOCS").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    let changed = inside.lines().zip(wanted.lines()).find(|(one, other)| one != other);
    assert!(inside == wanted, "docs/wilmer.md is not what the code says; first: {changed:?}");
}
