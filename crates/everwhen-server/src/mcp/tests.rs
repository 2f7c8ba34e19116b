//! The list of tools: names, schemas, and how many tokens it costs.

use super::tools;
use super::wire::{Choice, ToolSet};

fn listed(tools: ToolSet) -> Vec<rmcp::model::Tool> {
    let choice = Choice { tools, ..Choice::default() };
    tools::shown(&choice).map(|tool| tool.shown.clone()).collect()
}

#[test]
fn the_default_list_costs_under_2500_tokens() {
    let text = serde_json::to_string(&listed(ToolSet::Default)).unwrap();
    let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len();
    println!("{tokens} tokens, {} characters", text.len());
    assert!(tokens < 2500, "{tokens} tokens");
}

#[test]
fn names_are_the_public_ones_in_one_order() {
    let names: Vec<String> =
        listed(ToolSet::Full).iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(
        names,
        [
            "add_entry",
            "search_memories",
            "get_timeline",
            "get_conversation",
            "end_conversation",
            "get_context",
            "put_context",
            "create_vault",
            "list_vaults",
            "create_memory_in_vault",
            "list_memories",
            "get_memory",
            "list_entries",
            "get_entry",
            "correct_entry",
            "set_tags",
            "list_facts",
            "get_profile",
            "pin_fact",
            "correct_fact",
            "remove_fact",
            "time_between",
            "forget",
            "await_consistency",
            "get_default_prompts",
        ]
    );
    assert_eq!(listed(ToolSet::Default).len(), 7);
}

#[test]
fn every_tool_says_all_there_is_to_say() {
    for tool in listed(ToolSet::Full) {
        let (name, hints) = (&tool.name, tool.annotations.unwrap());
        assert!(tool.title.is_some_and(|title| !title.is_empty()), "{name}");
        assert!(tool.description.is_some_and(|about| about.len() > 20), "{name}");
        let all = [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ];
        assert!(all.iter().all(Option::is_some), "{name}");
        for shape in [&tool.input_schema, &tool.output_schema.unwrap()] {
            assert_eq!(shape["type"], "object", "{name}");
            let text = serde_json::to_string(shape.as_ref()).unwrap();
            for word in ["null", "$ref", "anyOf", "oneOf"] {
                assert!(!text.contains(word), "{name}: {text}");
            }
        }
    }
}
