"""langchain-openai: one conversation, then langchain-tests' suite three times: straight at the model, through the proxy
with nothing added, and through the proxy with everything added.

A test that passes straight must pass through the proxy, and a test that fails straight must be named here with the
reason. So the check fails when tests fail both ways, too. No test is tried again.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI

from proof import MODEL, PROXY, keeps

# Tests that pass at least: straight at the model, through the proxy, and through it with everything added.
LEAST_PASSED = {"straight": 27, "off": 27, "on": 21}
NO_TOOLS = "the model calls no tools: its chat template does not know them"
# Tests that fail straight at the model already, and why.
FAILS_STRAIGHT = {
    "test_tool_calling": NO_TOOLS,
    "test_tool_calling_async": NO_TOOLS,
    "test_tool_calling_with_no_arguments": NO_TOOLS,
    "test_tool_choice": NO_TOOLS,
    "test_bind_runnables_as_tools": NO_TOOLS,
    "test_unicode_tool_call_integration": NO_TOOLS,
    "test_agent_loop": NO_TOOLS,
    "test_structured_output_pydantic_2_v1": f"asks for structure by a tool, and {NO_TOOLS}",
    "test_structured_output_optional_param": "the model goes on within a string until max_tokens",
}
ENDS_BY_CHANCE = "whether so small a model ends its JSON within max_tokens hangs on every word, and the time is added"
# Tests whose verdict hangs on the exact words of a prompt, and why: with everything added they are left out.
EXACT_PROMPTS = {"test_structured_output": ENDS_BY_CHANCE, "test_structured_output_async": ENDS_BY_CHANCE}


def verdicts(base_url, added):
    """What became of each test: passed, failed or skipped."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report.name}"]
        # One event loop for all: clients keep connections, and a connection belongs to its loop.
        command += ["-o", "asyncio_mode=auto", "-o", "asyncio_default_test_loop_scope=session"]
        command += [os.path.join(folder, "test_langchain.py")]
        environment = {**os.environ, "BASE_URL": base_url, "ADDED": added}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        cases = ElementTree.parse(report.name).iter("testcase")
        return {case.get("name"): verdict(case) for case in cases}


def verdict(case):
    """A test that was expected to fail and did counts as skipped: its package does not claim to do it."""
    tags = {child.tag for child in case}
    return "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"


def bare(name):
    """A test without its parameters."""
    return name.split("[")[0]


def run(way, base_url, wanted):
    """The suite one way, in which the tests that `wanted` names must pass; answers all verdicts, and how many passed."""
    added = "on" if way == "on" else "off"
    found = verdicts(base_url, added)
    wanted = {name for name in found if wanted(name)}
    failed = sorted(name for name in wanted if found[name] == "failed")
    passed = sorted(name for name in wanted if found[name] == "passed")
    assert not failed, f"{way}: {failed}"
    assert len(passed) >= LEAST_PASSED[way], (way, passed)
    return found, len(passed)


def main():
    """One conversation with everything added, then the suite."""
    model = ChatOpenAI(model=MODEL, base_url=f"{PROXY}/m/langchain/v1", api_key="unused", max_tokens=8, temperature=0)
    first = model.invoke([HumanMessage("Say hello.")]).content
    asked = [HumanMessage("Say hello."), AIMessage(first), HumanMessage("Again.")]
    second = "".join(chunk.content for chunk in model.stream(asked))
    keeps("langchain", ("user", "Say hello."), ("assistant", first), ("user", "Again."), ("assistant", second))

    model_url, proxy_url = os.environ["MODEL_URL"] + "/v1", f"{PROXY}/v1"
    straight, passed = run("straight", model_url, lambda name: bare(name) not in FAILS_STRAIGHT)
    counted = [f"{passed} passed straight"]
    for added in ("off", "on"):
        left_out = EXACT_PROMPTS if added == "on" else {}
        _, passed = run(added, proxy_url, lambda name: straight[name] == "passed" and bare(name) not in left_out)
        counted.append(f"{passed} through the proxy with additions {added}")
    print(f"langchain-tests, {len(straight)} tests: {', '.join(counted)}; {len(FAILS_STRAIGHT)} fail straight already")


if __name__ == "__main__":
    main()
