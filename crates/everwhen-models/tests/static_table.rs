//! The table against the reference: ids from the `tokenizers` library, vectors from numpy.

use everwhen_models::StaticTable;

#[test]
fn pieces_and_vectors_equal_the_reference() {
    let table = StaticTable;
    let golden = include_str!("golden.jsonl");
    assert!(golden.lines().count() > 300);
    for line in golden.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let expected: Vec<u32> =
            case["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
        assert_eq!(table.piece_ids(text), expected, "{text:?}");
        let vector = table.vector(text);
        for (value, expected) in vector.iter().zip(case["first"].as_array().unwrap()) {
            assert!((f64::from(*value) - expected.as_f64().unwrap()).abs() < 1e-5, "{text:?}");
        }
        let last = case["last"].as_f64().unwrap();
        assert!((f64::from(vector[255]) - last).abs() < 1e-5, "{text:?}");
    }
}
