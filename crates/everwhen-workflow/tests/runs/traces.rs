//! A golden trace for every type of node: what it was asked, what it left, what it took.

use everwhen_workflow::Trace;

use crate::stage::Stage;

/// Files beside the workflow that runs.
const OTHERS: [(&str, &str); 3] = [
    ("hello.json", r#"[{"type": "StaticResponse", "content": "hello {agent1Input}"}]"#),
    ("other.json", r#"[{"type": "StaticResponse", "content": "other"}]"#),
    ("files/shared/notes.txt", "one\ntwo\nthree"),
];

const CHAT: [&str; 3] = ["s:Be brief.", "u:Which {roses} did I plant?", "a:Mira:"];

fn line(trace: &Trace) -> String {
    let spent = trace.spent;
    format!(
        "{}.{} {} in={:?} out={:?} tokens={}+{} cost={}",
        trace.workflow,
        trace.place,
        trace.kind,
        trace.input,
        trace.output,
        spent.input_tokens,
        spent.output_tokens,
        spent.cost_nanos
    )
}

/// Runs one node in a garden with a history; answers the lines of its trace.
async fn trace(node: &str) -> Vec<String> {
    let main = format!("[{node}]");
    let files = [&OTHERS[..], &[("main.json", main.as_str())]].concat();
    let stage = Stage::new(&files).await;
    stage.remember_garden().await;
    let (played, notes) = stage.play("main", &CHAT).await;
    played.unwrap();
    notes.traces.iter().map(line).collect()
}

macro_rules! golden {
    ($($name:ident: $node:expr => [$($line:expr),* $(,)?];)*) => {$(
        #[tokio::test]
        async fn $name() {
            assert_eq!(trace($node).await, [$($line),*]);
        }
    )*};
}

golden! {
    standard: r#"{"type": "Standard", "endpointName": "e", "systemPrompt": "{chat_system_prompt}",
        "addDiscussionIdTimestampsForLLM": true}"# => [
        "main.1 Standard in=\"system: Be brief.\\nuser: (Sunday, 2025-06-01 12:00:00) Which {roses} did I plant?\\nassistant: Mira:\" out=\"heard 5 letters\" tokens=10+5 cost=10000",
    ];
    quality_memory: r#"{"type": "QualityMemory"}"# => [
        "main.1 QualityMemory in=\"\" out=\"\" tokens=0+0 cost=0",
    ];
    summarizer: r#"{"type": "chatSummarySummarizer", "minMemoriesPerSummary": 1}"# => [
        "main.1 chatSummarySummarizer in=\"\" out=\"There is not yet a summary file\" tokens=0+0 cost=0",
    ];
    recent_tool: r#"{"type": "RecentMemorySummarizerTool", "maxTurnsToPull": 0, "maxSummaryChunksFromFile": 2}"# => [
        "main.1 RecentMemorySummarizerTool in=\"\" out=\"No memories have been generated yet\" tokens=0+0 cost=0",
    ];
    recent: r#"{"type": "RecentMemory", "maxSummaryChunksFromFile": 1}"# => [
        "main.1 RecentMemory in=\"\" out=\"2025-05-09 to 2025-05-16: I planted roses in bed 0 with Dr. How many roses are in bed 0? I planted roses in bed 1 with Dr.\" tokens=0+0 cost=0",
    ];
    summary: r#"{"type": "GetCurrentSummaryFromFile"}"# => [
        "main.1 GetCurrentSummaryFromFile in=\"\" out=\"There is not yet a summary file\" tokens=0+0 cost=0",
    ];
    full_summary: r#"{"type": "FullChatSummary", "isManualConfig": false}"# => [
        "main.1 FullChatSummary in=\"\" out=\"2025-05-02: I planted tomatoes in bed 0 with Dr\\n2025-05-02 to 2025-05-09: I planted tomatoes in bed 3 with Dr\\n2025-05-09: I planted basil in bed 1 with Dr\\n2025-05-09 to 2025-05-16: I planted roses in bed 0 with Dr\" tokens=0+0 cost=0",
    ];
    search: r#"{"type": "VectorMemorySearch", "input": "roses;nothing", "limit": 2, "includeDates": true}"# => [
        "main.1 VectorMemorySearch in=\"roses;nothing\" out=\"[2025-05-16] I planted roses in bed 3 with Dr. Evelyn Reed\\n\\n---\\n\\n[2025-05-16] I planted roses in bed 2 with Dr. Evelyn Reed\" tokens=0+0 cost=0",
    ];
    all_memories: r#"{"type": "GetCurrentMemoryFromFile"}"# => [
        "main.1 GetCurrentMemoryFromFile in=\"\" out=\"There are not yet any memories\" tokens=0+0 cost=0",
    ];
    lock: r#"{"type": "WorkflowLock", "workflowLockId": "writing"}"# => [
        "main.1 WorkflowLock in=\"\" out=\"writing\" tokens=0+0 cost=0",
    ];
    custom: r#"{"type": "CustomWorkflow", "workflowName": "hello", "scoped_variables": ["{Discussion_Id}"]}"# => [
        "hello.1 StaticResponse in=\"\" out=\"hello garden\" tokens=0+0 cost=0",
        "main.1 CustomWorkflow in=\"\" out=\"hello garden\" tokens=0+0 cost=0",
    ];
    conditional_custom: r#"{"type": "ConditionalCustomWorkflow", "conditionalKey": "{Discussion_Id}",
        "conditionalWorkflows": {"GARDEN": "other", "Default": "hello"}}"# => [
        "other.1 StaticResponse in=\"\" out=\"other\" tokens=0+0 cost=0",
        "main.1 ConditionalCustomWorkflow in=\"\" out=\"other\" tokens=0+0 cost=0",
    ];
    conditional: r#"{"type": "Conditional", "condition": "{current_day_of_week} == 'Sunday'"}"# => [
        "main.1 Conditional in=\"\" out=\"TRUE\" tokens=0+0 cost=0",
    ];
    concatenator: r#"{"type": "StringConcatenator", "strings": ["a", "{YYYY_MM_DD}"], "delimiter": "+"}"# => [
        "main.1 StringConcatenator in=\"\" out=\"a+2025_06_01\" tokens=0+0 cost=0",
    ];
    static_response: r#"{"type": "StaticResponse", "content": "{chat_user_prompt_last_one}"}"# => [
        "main.1 StaticResponse in=\"\" out=\"Mira:\" tokens=0+0 cost=0",
    ];
    read_file: r#"{"type": "GetCustomFile", "filepath": "notes.txt", "headCount": 2}"# => [
        "main.1 GetCustomFile in=\"\" out=\"one\\ntwo\" tokens=0+0 cost=0",
    ];
    write_file: r#"{"type": "SaveCustomFile", "filepath": "{Discussion_Id}/new.txt", "content": "x"}"# => [
        "main.1 SaveCustomFile in=\"\" out=\"File successfully saved to garden/new.txt\" tokens=0+0 cost=0",
    ];
    tag: r#"{"type": "TagTextExtractor", "tagToExtractFrom": "a <b>c</b>", "fieldToExtract": "b"}"# => [
        "main.1 TagTextExtractor in=\"\" out=\"c\" tokens=0+0 cost=0",
    ];
    field: r#"{"type": "JsonExtractor", "jsonToExtractFrom": "{{\"a\": 7}}", "fieldToExtract": "a"}"# => [
        "main.1 JsonExtractor in=\"\" out=\"7\" tokens=0+0 cost=0",
    ];
    arithmetic: r#"{"type": "ArithmeticProcessor", "expression": "{current_day_of_month} + 2"}"# => [
        "main.1 ArithmeticProcessor in=\"\" out=\"3\" tokens=0+0 cost=0",
    ];
}
