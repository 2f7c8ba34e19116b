//! Rules about programs that edit files with a model: aider, Cline and Roo Code.

use super::KnownFrom::{Recorded, Source};
use super::ProgramRuleKind::{
    Answer, Block, Examples, Inside, Instructions, Part, Result, Trailer,
};
use super::{ProgramRule, rule};

const AIDER: (&str, &str) = ("aider", "0.86.2");
const CLINE: (&str, &str) = ("Cline", "3.x, and Roo Code");

/// Where people answer in what Cline and Roo Code send as the result of a tool.
const ANSWERS: &[(&str, &str)] = &[
    ("<answer>", "</answer>"),
    ("<feedback>", "</feedback>"),
    ("<user_message>", "</user_message>"),
];

/// All of them.
pub(super) const RULES: &[ProgramRule] = &[
    // aider
    rule(
        AIDER,
        Recorded,
        Examples("I switched to a new code base. Please don't consider the above files"),
        (
            "I switched to a new code base. Please don't consider the above files or try to edit them any longer.",
            "",
        ),
    ),
    rule(
        AIDER,
        Source,
        Part("Here are summaries of some files present in my git repository."),
        ("Here are summaries of some files present in my git repository.\n\nmain.py", ""),
    ),
    rule(
        AIDER,
        Source,
        Answer("Ok, I won't try and edit those files without asking first."),
        (
            "Here are summaries of some files present in my git repository.",
            "Ok, I won't try and edit those files without asking first.",
        ),
    ),
    rule(
        AIDER,
        Source,
        Part("Here are some READ ONLY files, provided for your reference."),
        ("Here are some READ ONLY files, provided for your reference.\n\nmain.py", ""),
    ),
    rule(
        AIDER,
        Source,
        Answer("Ok, I will use these files as references."),
        (
            "Here are some READ ONLY files, provided for your reference.",
            "Ok, I will use these files as references.",
        ),
    ),
    rule(
        AIDER,
        Recorded,
        Part("I have *added these files to the chat* so you can go ahead and edit them."),
        (
            "I have *added these files to the chat* so you can go ahead and edit them.\n\nmain.py\n```\nx = 1\n```",
            "",
        ),
    ),
    rule(
        AIDER,
        Source,
        Answer("Ok, any changes I propose will be to those files."),
        (
            "I have *added these files to the chat* so you can go ahead and edit them.",
            "Ok, any changes I propose will be to those files.",
        ),
    ),
    rule(
        AIDER,
        Source,
        Part("I am not sharing any files that you can edit yet."),
        ("I am not sharing any files that you can edit yet.", ""),
    ),
    rule(
        AIDER,
        Source,
        Answer("Ok."),
        ("I spoke to you previously about a number of things.", "Ok."),
    ),
    rule(
        AIDER,
        Source,
        Part("I added these files to the chat:"),
        (
            "I added these files to the chat: main.py\nLet me know if there are others we should add.",
            "",
        ),
    ),
    rule(
        AIDER,
        Source,
        Part("I spoke to you previously about a number of things."),
        ("I spoke to you previously about a number of things.\nYou have a dog.", ""),
    ),
    rule(
        AIDER,
        Source,
        Part("I ran this command:"),
        ("I ran this command:\n\nmake\n\nAnd got this output:\n\nok", ""),
    ),
    rule(
        AIDER,
        Source,
        Part("The LLM did not conform to the edit format."),
        ("The LLM did not conform to the edit format.\nNo filename provided.", ""),
    ),
    rule(
        AIDER,
        Source,
        Trailer("# *SEARCH/REPLACE block* Rules:"),
        ("Add a test.\n\n# *SEARCH/REPLACE block* Rules:\n\nEvery block must …", "Add a test."),
    ),
    rule(
        AIDER,
        Source,
        Trailer("To suggest changes to a file you MUST return the entire content"),
        (
            "Add a test.\n\nTo suggest changes to a file you MUST return the entire content of the updated file.",
            "Add a test.",
        ),
    ),
    rule(
        AIDER,
        Source,
        Instructions("generates concise, one-line Git commit messages"),
        (
            "You are an expert software engineer that generates concise, one-line Git commit messages.",
            "",
        ),
    ),
    rule(
        AIDER,
        Source,
        Instructions("*Briefly* summarize this partial conversation about programming."),
        ("*Briefly* summarize this partial conversation about programming.", ""),
    ),
    // Cline and Roo Code
    rule(
        CLINE,
        Source,
        Block("<environment_details>", "</environment_details>"),
        (
            "Add a test.\n<environment_details>\n# Current Mode\nACT MODE\n</environment_details>",
            "Add a test.",
        ),
    ),
    rule(
        CLINE,
        Source,
        Inside("<task>", "</task>"),
        ("<task>\nAdd a test.\n</task>", "Add a test."),
    ),
    rule(
        CLINE,
        Source,
        Inside("<user_message>", "</user_message>"),
        ("<user_message>\nAdd a test.\n</user_message>", "Add a test."),
    ),
    rule(
        CLINE,
        Source,
        Result("] Result:", ANSWERS),
        (
            "[ask_followup_question for 'Which?'] Result:\n\n<answer>\nThe first.\n</answer>",
            "The first.",
        ),
    ),
    rule(
        CLINE,
        Source,
        Part("[TASK RESUMPTION]"),
        ("[TASK RESUMPTION] This task was interrupted 4 minutes ago.", ""),
    ),
    rule(
        CLINE,
        Source,
        Part("[ERROR] You did not use a tool in your previous response!"),
        (
            "[ERROR] You did not use a tool in your previous response! Please retry with a tool use.",
            "",
        ),
    ),
];
