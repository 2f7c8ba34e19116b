//! Rules about chat front ends.

use super::KnownFrom::{Recorded, Reported, Source};
use super::ProgramRuleKind::{
    Behind, Block, Continue, Header, Instructions, Last, SideRequest, Speaker,
};
use super::{ProgramRule, rule};

const ANY: (&str, &str) = ("any client", "documented by Everwhen");
const OPENWEBUI: (&str, &str) = ("Open WebUI", "0.12.4");
const LIBRECHAT: (&str, &str) = ("LibreChat", "0.8");
const TAVERN: (&str, &str) = ("SillyTavern", "1.19.0");

/// All of them.
pub(super) const RULES: &[ProgramRule] = &[
    rule(ANY, Source, Header("x-everwhen-task"), ("title", "")),
    // Open WebUI
    rule(OPENWEBUI, Recorded, Header("x-openwebui-task"), ("title_generation", "")),
    rule(
        OPENWEBUI,
        Recorded,
        Last("### Task:\nGenerate ", "<chat_history>"),
        (
            "### Task:\nGenerate 1-3 broad tags.\n### Chat History:\n<chat_history>\nhi\n</chat_history>",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Last("### Task:\nGenerate a concise, 3-5 word title", ""),
        ("### Task:\nGenerate a concise, 3-5 word title with an emoji.", ""),
    ),
    rule(
        OPENWEBUI,
        Source,
        Last("### Task:\nPredict ", "<chat_history>"),
        ("### Task:\nPredict the next message.\n<chat_history>\nhi\n</chat_history>", ""),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Last("### Task:\nSuggest ", "<chat_history>"),
        (
            "### Task:\nSuggest 3-5 relevant follow-up questions.\n<chat_history>\nhi\n</chat_history>",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Last("### Task:\nAnalyze the chat history", ""),
        (
            "### Task:\nAnalyze the chat history to determine the necessity of generating search queries.",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Source,
        Last("### Task:\nYou are an autocompletion system", ""),
        ("### Task:\nYou are an autocompletion system. Continue the text in `<text>`.", ""),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Last("Your task is to reflect the speaker's likely facial expression", ""),
        (
            "Your task is to reflect the speaker's likely facial expression through a fitting emoji.",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Last("You have been provided with a set of responses from various models", ""),
        (
            "You have been provided with a set of responses from various models to the latest user query: \"hi\"",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Instructions("Your task is to choose and return the correct tool(s) from the list"),
        (
            "Available Tools: []\n\nYour task is to choose and return the correct tool(s) from the list of available tools.",
            "",
        ),
    ),
    rule(
        OPENWEBUI,
        Recorded,
        Behind("### Task:\nRespond to the user query using the provided context", "</context>"),
        (
            "### Task:\nRespond to the user query using the provided context.\n<context>\nA boiler.\n</context>\n\nWhen does it end?",
            "When does it end?",
        ),
    ),
    rule(OPENWEBUI, Source, Block("<user_query>", ""), ("<user_query>\nWie viele?", "Wie viele?")),
    rule(
        OPENWEBUI,
        Source,
        Block("</user_query>", ""),
        ("Wie viele?\n</user_query>", "Wie viele?"),
    ),
    // LibreChat
    rule(
        LIBRECHAT,
        Source,
        Last("Here is the user's message:\n\n", ""),
        ("Here is the user's message:\n\nhi", ""),
    ),
    rule(
        LIBRECHAT,
        Source,
        Last("Provide a concise, 5-word-or-less title for the conversation", ""),
        (
            "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
            "",
        ),
    ),
    rule(
        LIBRECHAT,
        Source,
        Last("Please generate a concise, 5-word-or-less title for the conversation", ""),
        ("Please generate a concise, 5-word-or-less title for the conversation.", ""),
    ),
    rule(
        LIBRECHAT,
        Source,
        Last("Write a concise title for this conversation", ""),
        ("Write a concise title for this conversation in the detected language.", ""),
    ),
    rule(
        ("chatbot-ui and others", "unknown"),
        Reported,
        Last("Based on the chat history, give this conversation a name", ""),
        ("Based on the chat history, give this conversation a name.", ""),
    ),
    // SillyTavern
    rule(
        TAVERN,
        Recorded,
        Speaker("[Write the next reply only as ", ".]"),
        ("Hello you two.\n[Write the next reply only as Bob.]", "Hello you two."),
    ),
    rule(
        ("RisuAI", "1.x"),
        Source,
        Speaker("[Write the next reply only as ", "]"),
        ("Hello you two.\n[Write the next reply only as Bob]", "Hello you two."),
    ),
    rule(
        TAVERN,
        Recorded,
        Continue("[Continue"),
        ("[Continue your last message without repeating its original content.]", ""),
    ),
    rule(
        TAVERN,
        Recorded,
        SideRequest("[Write your next reply from the point of view of"),
        (
            "[Write your next reply from the point of view of Ana, using the chat history so far as a guideline.]",
            "",
        ),
    ),
    rule(
        TAVERN,
        Source,
        SideRequest("Ignore previous instructions. Summarize the most important facts and events"),
        (
            "Ignore previous instructions. Summarize the most important facts and events in the story so far.",
            "",
        ),
    ),
    rule(
        TAVERN,
        Source,
        SideRequest("[Pause your roleplay. Summarize the most important facts and events"),
        (
            "[Pause your roleplay. Summarize the most important facts and events in the chat so far.]",
            "",
        ),
    ),
    rule(
        TAVERN,
        Source,
        SideRequest("Ignore previous instructions. Classify the emotion of the last message."),
        (
            "Ignore previous instructions. Classify the emotion of the last message. Output just one word.",
            "",
        ),
    ),
    rule(
        TAVERN,
        Source,
        Instructions("Summarize the most important facts and events in the story so far"),
        (
            "Ignore previous instructions. Summarize the most important facts and events in the story so far.",
            "",
        ),
    ),
    rule(TAVERN, Source, Block("[Start a new Chat]", ""), ("[Start a new Chat]\nHello.", "Hello.")),
    rule(
        TAVERN,
        Source,
        Block("[Start a new group chat.", "]"),
        ("[Start a new group chat. Group members: Bob, Ana]\nHello.", "Hello."),
    ),
    rule(
        TAVERN,
        Reported,
        Block("[Author's note:", "]"),
        ("[Author's note: it rains.]\nHello.", "Hello."),
    ),
];
