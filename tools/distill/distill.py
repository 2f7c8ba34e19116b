#!/usr/bin/env python3
"""Distils Everwhen's static embedding table from a sentence transformer.

The table has one row per word piece of bert-base-uncased; the vector of a text is the sum of the
rows of its pieces, normalised. It is trained so that cosines of such sums resemble the cosines of
the teacher, on text alone: no labels, no questions, no benchmark.

  1. text      a folder of .txt and .md files, or lines of "source<TAB>passage" (.tsv, .tsv.zst);
               files are cut at sentence ends into passages of at most 420 characters
  2. spans     from every passage a few runs of 4 to 22 words: they stand for questions
  3. teacher   unit vectors of passages and spans (two teachers: their cosines are averaged)
  4. start     every piece alone through the teacher, PCA, rare pieces longer than common ones
  5. training  50 x mean squared error between the student's and the teacher's cosines, over all
               span-passage and passage-passage pairs of a batch; Adam, warm-up, cosine decay;
               --weight makes passages of a source come up more or less often; the student has
               rounded rows, so that training makes up for the rounding
  6. rounding  rows of 4 bits a number, from -7 to 7, with one f32 scale a row

Writes OUT.i4 (row-major; byte b of a row holds number b in its low half and number
b + dimensions / 2 in its high half, each plus 8), OUT.scale.f32 (little-endian, one a row) and
OUT.json (how the table was made, with hashes): the files that crates/everwhen-models reads.
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel

# Weights this script trusts, by the sha256 of model.safetensors.
TEACHERS = {
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "all-MiniLM-L6-v2",
    "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658": "all-mpnet-base-v2",
}
# The pieces of the table: the first teacher's tokenizer.json has to be this one.
PIECES_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
PASSAGE_CHARS = 420
SPAN_WORDS = (4, 22)
# How strongly common pieces start shorter than rare ones (smooth inverse frequency).
RARITY = 1e-3
WARM_UP = 100
LAST_RATE = 0.02
LOSS_SCALE = 50.0
# The largest number of a rounded row, and the unit of a row as a share of its root mean square. Rounding
# alone is best at 0.4; rows that are trained as rounded are better with a smaller unit (0.22 to 0.3).
LARGEST = 7
UNIT = 0.26


def option(value, meaning):
    return field(default=value, metadata={"help": f"{meaning} [%(default)s]"})


@dataclass(frozen=True)
class Settings:
    """All that decides which table comes out, besides text, weights and teachers."""

    dimensions: int = option(256, "numbers in a vector")
    spans: int = option(4, "runs of words drawn from every passage")
    pieces: int = option(126, "word pieces of a text that count in training")
    steps: int = option(3000, "training steps")
    batch: int = option(4096, "passages in a step")
    rate: float = option(2e-3, "peak learning rate")
    seed: int = option(0, "fixes spans and the order of training")


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def say(text):
    print(text, file=sys.stderr, flush=True)


# 1. Text

def read_passages(path):
    """(source, passage) from a folder, where a source is a file, or from lines of a file."""
    path = Path(path)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in (".txt", ".md"))
        return [(file.stem, passage) for file in files
                for passage in cut(file.read_text("utf-8", "replace"))]
    data = path.read_bytes()
    if path.suffix == ".zst":
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(data).read()
    lines = data.decode("utf-8").split("\n")
    return [(source, passage) for source, _, passage in (line.partition("\t") for line in lines)
            if passage.strip()]


def cut(text):
    """Passages of whole sentences; a sentence that is too long is cut between words."""
    passage = ""
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", text):
        for part in parts(" ".join(sentence.split())):
            if passage and len(passage) + 1 + len(part) > PASSAGE_CHARS:
                yield passage
                passage = ""
            passage = f"{passage} {part}".strip()
    if passage:
        yield passage


def parts(sentence):
    while len(sentence) > PASSAGE_CHARS:
        at = max(sentence.rfind(" ", 0, PASSAGE_CHARS), 0) or PASSAGE_CHARS
        yield sentence[:at]
        sentence = sentence[at:].strip()
    if sentence:
        yield sentence


# 2. Spans

def draw_spans(passages, random):
    """One run of words from every passage; a short passage is its own span."""
    spans = []
    for words in (passage.split() for passage in passages):
        length = min(len(words), int(random.integers(SPAN_WORDS[0], SPAN_WORDS[1] + 1)))
        start = int(random.integers(0, len(words) - length + 1))
        spans.append(" ".join(words[start : start + length]))
    return spans


# 3. Teacher

class Teacher:
    """A sentence transformer with mean pooling, read from a directory and checked by hash."""

    def __init__(self, directory, device):
        directory = Path(directory)
        self.sha256 = sha256(directory / "model.safetensors")
        if self.sha256 not in TEACHERS:
            sys.exit(f"{directory}/model.safetensors has sha256 {self.sha256}, which is none of "
                     f"the known teachers: {', '.join(TEACHERS.values())}")
        self.name, self.device = TEACHERS[self.sha256], device
        self.model = AutoModel.from_config(AutoConfig.from_pretrained(directory))
        self.model.load_state_dict(load_file(directory / "model.safetensors"), strict=False)
        self.model.float().eval().to(device)
        self.tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self.tokenizer.no_padding()

    @torch.inference_mode()
    def vectors(self, texts, pieces):
        """Unit vectors of texts, each truncated to the maximum number of tokens; batches have similar lengths."""
        self.tokenizer.enable_truncation(pieces + 2)
        batch_pieces = 1 << (17 if self.device.type == "cuda" else 12)
        encoded = [np.array(one.ids) for one in self.tokenizer.encode_batch_fast(texts)]
        order = sorted(range(len(texts)), key=lambda index: -len(encoded[index]))
        out = torch.empty(len(texts), self.model.config.hidden_size)
        while order:
            count = max(1, batch_pieces // len(encoded[order[0]]))
            now, order = order[:count], order[count:]
            out[now] = self.pooled([encoded[index] for index in now]).cpu()
        return out

    def pooled(self, encoded):
        lengths = torch.tensor([len(ids) for ids in encoded])
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        ids = torch.ones(mask.shape, dtype=torch.long)
        ids[mask] = torch.from_numpy(np.concatenate(encoded))
        ids, mask = ids.to(self.device), mask.to(self.device)
        hidden = self.model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return F.normalize((hidden * mask[..., None]).sum(1), dim=1)


def joint_vectors(teachers, texts, pieces):
    """The teachers side by side: a dot product is then the mean of their cosines."""
    share = len(teachers) ** -0.5
    return torch.cat([share * teacher.vectors(texts, pieces) for teacher in teachers], dim=1)


# 4. Student and its start

def piece_ids(tokenizer, texts, pieces):
    """A row of piece ids for every text, filled up with the id after the last."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(pieces)
    encoded = [one.ids for one in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    rows = np.full((len(texts), pieces), tokenizer.get_vocab_size(), np.int32)
    for row, ids in zip(rows, encoded):
        row[: len(ids)] = ids
    return torch.from_numpy(rows)


def start_table(teacher, ids, dimensions, only_seen=False):
    """Rows from every piece alone through the teacher; `only_seen` leaves the others zero."""
    size = teacher.tokenizer.get_vocab_size()
    counts = torch.bincount(ids.flatten(), minlength=size + 1)[:size].float()
    chosen = torch.nonzero(counts).flatten() if only_seen else torch.arange(size)
    cls, sep = (teacher.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    alone = [np.array([cls, int(piece), sep]) for piece in chosen]
    with torch.inference_mode():
        batches = (alone[at : at + 4096] for at in range(0, len(alone), 4096))
        rows = torch.cat([teacher.pooled(part) for part in batches]).double().cpu()
    rows = rows - rows.mean(0)
    rows = rows @ torch.linalg.eigh(rows.T @ rows).eigenvectors.flip(1)[:, :dimensions]
    rows /= rows.norm(dim=1).mean()
    frequency = (counts / counts.sum())[chosen, None]
    table = torch.zeros(size, dimensions)
    table[chosen] = (rows * RARITY / (RARITY + frequency)).float()
    return table


def student(table, ids):
    """Unit vectors of the texts in a batch of piece ids."""
    padded = torch.cat([table, table.new_zeros(1, table.shape[1])])
    sums = F.embedding_bag(ids, padded, mode="sum", padding_idx=table.shape[0])
    return F.normalize(sums, dim=1)


# 5. Training

def rate_at(step, steps):
    """Share of the peak rate: a short climb, then a cosine down to the last rate."""
    climb = min(1.0, (step + 1) / min(WARM_UP, steps))
    fall = 0.5 * (1 + np.cos(np.pi * step / steps))
    return climb * (LAST_RATE + (1 - LAST_RATE) * fall)


def batch_loss(table, batch):
    """How far the student's cosines are from the teacher's, over all pairs of a batch."""
    span_ids, passage_ids, span_vectors, passage_vectors = batch
    spans, passages = student(table, span_ids), student(table, passage_ids)
    across = F.mse_loss(spans @ passages.T, span_vectors @ passage_vectors.T)
    among = F.mse_loss(passages @ passages.T, passage_vectors @ passage_vectors.T)
    return LOSS_SCALE * (across + among)


def units(table):
    """What one unit in each rounded row is worth."""
    return UNIT * table.square().mean(1).sqrt().clamp(min=1e-12)


def in_units(table, scales):
    """Rows as whole numbers of their unit."""
    return (table / scales[:, None]).round().clamp(-LARGEST, LARGEST)


def as_rounded(table):
    """The rounded rows, with gradients as if they were not."""
    with torch.no_grad():
        scales = units(table)
        error = in_units(table, scales) * scales[:, None] - table
    return table + error


def train(table, batches, settings):
    """The trained table; `batches(step)` answers ids and teacher vectors on the device."""
    table = table.clone().requires_grad_()
    adam = torch.optim.Adam([table], lr=settings.rate, betas=(0.9, 0.98))
    began = time.monotonic()
    for step in range(settings.steps):
        adam.param_groups[0]["lr"] = settings.rate * rate_at(step, settings.steps)
        loss = batch_loss(as_rounded(table), batches(step))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        if step % 500 == 0 or step + 1 == settings.steps:
            say(f"  step {step:6} loss {loss.item():.4f} {time.monotonic() - began:6.1f} s")
    return table.detach()


class Batches:
    """Random passages, each with one of its spans, in an order the seed fixes."""

    def __init__(self, ids, vectors, span_ids, span_vectors, weights, settings):
        self.ids, self.vectors = ids, vectors
        self.shares = torch.cumsum(weights / weights.sum(), 0)
        self.span_ids, self.span_vectors = span_ids, span_vectors
        self.size = min(settings.batch, len(ids))
        self.random = torch.Generator().manual_seed(settings.seed)

    def __call__(self, step):
        chances = torch.rand(self.size, generator=self.random, dtype=torch.float64)
        chosen = torch.searchsorted(self.shares, chances).clamp(max=len(self.ids) - 1)
        drawn = torch.randint(len(self.span_ids), (1,), generator=self.random).item()
        chosen = chosen.to(self.ids.device)
        return (self.span_ids[drawn][chosen], self.ids[chosen],
                self.span_vectors[drawn][chosen], self.vectors[chosen])


# 6. Rounding and files

def packed(rows):
    """Two numbers a byte: the first half of a row in the low bits, the second in the high ones."""
    low, high = (rows.numpy() + 8).astype(np.uint8).reshape(len(rows), 2, -1).swapaxes(0, 1)
    return low | high << 4


def write(table, out, story):
    table = table.cpu()
    scales = units(table)
    Path(f"{out}.i4").write_bytes(packed(in_units(table, scales)).tobytes())
    Path(f"{out}.scale.f32").write_bytes(scales.numpy().astype("<f4").tobytes())
    story["files"] = {name: sha256(f"{out}.{name}") for name in ("i4", "scale.f32")}
    Path(f"{out}.json").write_text(json.dumps(story, indent=2) + "\n")
    say(f"wrote {out}.i4, {out}.scale.f32 and {out}.json")


# The whole way

def distil(texts, teachers, settings, device, weights=None, only_seen=False):
    """Texts and teachers to a table; what the smoke test and the real run share."""
    random, first = np.random.default_rng(settings.seed), teachers[0]
    passages = [passage for _, passage in texts]
    spans = [draw_spans(passages, random) for _ in range(settings.spans)]
    say(f"{len(passages)} passages, {settings.spans} spans each; teacher vectors on {device}")
    vectors = joint_vectors(teachers, passages, settings.pieces).to(device)
    span_vectors = [joint_vectors(teachers, one, settings.pieces).to(device) for one in spans]
    ids = piece_ids(first.tokenizer, passages, settings.pieces)
    span_ids = [piece_ids(first.tokenizer, one, settings.pieces).to(device) for one in spans]
    start = start_table(first, ids, settings.dimensions, only_seen).to(device)
    say(f"training {settings.steps} steps of {min(settings.batch, len(passages))} passages")
    chances = torch.tensor([(weights or {}).get(source, 1.0) for source, _ in texts]).double()

    def batches():
        return Batches(ids.to(device), vectors, span_ids, span_vectors, chances, settings)

    return start, train(start, batches(), settings), batches


def smoke(texts, teachers, device):
    """A tiny run that fails if a part of the way is broken."""
    settings = Settings(dimensions=32, spans=2, pieces=48, steps=30, batch=64, rate=1e-2)
    start, table, batches = distil(texts[:160], teachers, settings, device, only_seen=True)
    batch = batches()(0)
    before, after = batch_loss(start, batch).item(), batch_loss(table, batch).item()
    cosine = F.cosine_similarity(student(table, batch[1]), student(as_rounded(table), batch[1]))
    again = train(start, batches(), settings)
    checks = {f"the loss falls by half: {before:.3f} to {after:.3f}": after < before / 2,
              f"rounding keeps directions: cosine {cosine.mean():.4f}": bool(cosine.mean() > 0.97),
              "the same seed gives the same table": torch.allclose(table, again, atol=1e-4)}
    with tempfile.TemporaryDirectory() as folder:
        write(table, f"{folder}/smoke", asdict(settings))
        size = Path(f"{folder}/smoke.i4").stat().st_size
        checks[f"the file holds all rows: {size} bytes"] = size * 2 == table.numel()
    for check, held in checks.items():
        say(f"{'ok  ' if held else 'FAIL'} {check}")
    return 0 if all(checks.values()) else 1


def weight(given):
    """SOURCE=W of the command line."""
    source, _, value = given.partition("=")
    return source, float(value)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: distill.py passages.tsv.zst --teacher minilm --out static256\n"
        "check:   distill.py ../.. --teacher minilm --smoke")
    add = parser.add_argument
    add("text", help="folder of .txt and .md files, or .tsv[.zst] with source and passage a line")
    add("--teacher", action="append", required=True, metavar="DIR",
        help="directory with config.json, model.safetensors, tokenizer.json; repeat for two "
        "teachers, MiniLM first (its pieces are the table's)")
    add("--weight", action="append", type=weight, default=[], metavar="SOURCE=W",
        help="how often passages of a source come up; a source is a file's name or the first "
        "column, and counts 1 unless named here")
    add("--out", default="static256", help="where the files go, without ending [%(default)s]")
    add("--limit", type=int, help="maximum number of passages, spread over the text (small runs, CPU)")
    add("--device", choices=("auto", "cpu", "cuda"), default="auto")
    add("--smoke", action="store_true", help="a tiny run with checks, under a minute on a CPU")
    for one in fields(Settings):
        add(f"--{one.name}", type=one.type, default=one.default, **one.metadata)
    return parser.parse_args()


def read_texts(given):
    texts = read_passages(given.text)
    if not texts:
        sys.exit(f"{given.text} holds no text: name a folder with .txt or .md files, or a .tsv")
    unknown = {source for source, _ in given.weight} - {source for source, _ in texts}
    if unknown:
        sys.exit(f"--weight names sources that the text has not: {', '.join(sorted(unknown))}")
    if given.limit and given.limit < len(texts):
        texts = [texts[at * len(texts) // given.limit] for at in range(given.limit)]
    return texts


def main():
    given = arguments()
    chosen = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(chosen if given.device == "auto" else given.device)
    torch.set_float32_matmul_precision("high")
    texts = read_texts(given)
    teachers = [Teacher(directory, device) for directory in given.teacher]
    if sha256(Path(given.teacher[0]) / "tokenizer.json") != PIECES_SHA256:
        sys.exit("the first teacher has other word pieces than the table: name MiniLM first")
    if given.smoke:
        sys.exit(smoke(texts, teachers, device))
    settings = Settings(**{one.name: getattr(given, one.name) for one in fields(Settings)})
    table = distil(texts, teachers, settings, device, dict(given.weight))[1]
    joined = "\n".join(passage for _, passage in texts).encode()
    write(table, given.out, {
        "teachers": {teacher.name: teacher.sha256 for teacher in teachers},
        "text": {"passages": len(texts), "sha256": hashlib.sha256(joined).hexdigest()},
        "settings": asdict(settings), "weights": dict(given.weight),
        "torch": torch.__version__, "device": str(device)})


if __name__ == "__main__":
    main()
