"""langchain-openai: one conversation, then langchain-tests' suite twice with the same verdicts."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI

from proof import MODEL, PROXY, keeps

model = ChatOpenAI(model=MODEL, base_url=f"{PROXY}/m/langchain/v1", api_key="unused", max_tokens=8, temperature=0)
first = model.invoke([HumanMessage("Say hello.")]).content
asked = [HumanMessage("Say hello."), AIMessage(first), HumanMessage("Again.")]
second = "".join(chunk.content for chunk in model.stream(asked))
keeps("langchain", ("user", "Say hello."), ("assistant", first), ("user", "Again."), ("assistant", second))


def verdicts(base_url, only=None):
    """What became of each test, or of some of them."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report.name}"]
        command += ["-o", "asyncio_mode=auto", os.path.join(folder, "test_langchain.py")]
        command += ["-k", " or ".join(only)] if only else []
        environment = {**os.environ, "BASE_URL": base_url}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        cases = ElementTree.parse(report.name).iter("testcase")
        return {case.get("name"): sorted(child.tag for child in case if child.tag != "properties") for case in cases}


def differences(straight, proxied):
    """Tests with different verdicts."""
    return {name: (verdict, proxied.get(name)) for name, verdict in straight.items() if proxied.get(name) != verdict}


model_url, proxy_url = os.environ["MODEL_URL"] + "/v1", f"{PROXY}/v1"
straight = verdicts(model_url)
differ = differences(straight, verdicts(proxy_url))
# Some tests look at when events come, which a busy machine decides: those are asked again, alone.
for _ in range(3):
    if differ:
        differ = differences(verdicts(model_url, differ), verdicts(proxy_url, differ))
assert len(straight) >= 40, straight
assert not differ, differ
passed = sum(not verdict for verdict in straight.values())
print(f"langchain-tests: {len(straight)} tests, {passed} passed, the same verdicts both ways")
