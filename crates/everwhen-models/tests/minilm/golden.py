"""Writes golden.jsonl: vectors of a few texts as onnxruntime and the tokenizers library see them.

Usage: python golden.py MODEL.onnx TOKENIZER.json > golden.jsonl   (pip install onnxruntime tokenizers numpy)
"""

import json
import sys

import numpy
import onnxruntime
from tokenizers import Tokenizer

TEXTS = [
    "I went to the museum today.",
    "When did I last see the dentist?",
    "a",
    "7",
    "OK!!! :-) ...",
    "The meeting moved from 3:30 pm to 4:15 pm on 2023-01-08, didn't it?",
    "Ana: I'm allergic to peanuts, please remember that for dinner on Friday.",
    "We painted the kitchen light blue last summer; the living room is still white.",
    "Müßte Élodie ihren Café-Besuch in Zürich absagen? Ängste über Größe.",
    "東京で寿司を食べました。とても美味しかったです。",
    "Привет, как дела? Я вчера ходил в театр.",
    "मैं कल दिल्ली जा रहा हूँ",
    "I love it 🦀🎉 so much 😀",
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "x" * 120 + " is a word nobody can cut",
    "line one\nline two\twith a tab\r\nand   many    blanks\u00a0here",
    "def f(x): return {k: v for k, v in x.items() if v is not None}  # code",
    "https://example.org/a/b?c=d&e=f#g and user@example.org",
    "My daughter Mia started school in September and already has two best friends, Lena and Tom. "
    "She comes home every day with a new drawing, and yesterday she read her first book alone.",
    "Yesterday I ran ten kilometres along the river and my knee hurt afterwards. " * 3,
    "It was a long story about a trip through Norway, with fjords, ferries and rain. " * 40,
    "don't can't won't it's they're I'd we've",
    "   leading and trailing blanks   ",
    "Passwords: hunter2, correct-horse_battery.staple",
]
MAX_TOKENS = 256


def main(model: str, tokenizer: str) -> None:
    session = onnxruntime.InferenceSession(model)
    reader = Tokenizer.from_file(tokenizer)
    reader.no_padding()
    reader.enable_truncation(MAX_TOKENS)
    for text in TEXTS:
        ids = numpy.array([reader.encode(text).ids], dtype=numpy.int64)
        ones, zeros = numpy.ones_like(ids), numpy.zeros_like(ids)
        known = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
        asked = {node.name: known[node.name] for node in session.get_inputs()}
        vector = session.run(["last_hidden_state"], asked)[0][0].mean(axis=0)
        vector /= numpy.linalg.norm(vector)
        rounded = [round(float(value), 5) for value in vector]
        print(json.dumps({"text": text, "tokens": int(ids.size), "vector": rounded}))


main(*sys.argv[1:])
