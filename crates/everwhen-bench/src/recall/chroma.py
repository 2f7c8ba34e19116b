"""Fills a ChromaDB collection in a folder with texts and vectors, asks, and prints how long it took."""

import json
import sys
import time
from pathlib import Path

import chromadb
import numpy

WIDTH = 256
BATCH = 5000

home = Path(sys.argv[1])
lines = [line.split(" ", 1) for line in (home / "texts").read_text().splitlines()]
times, texts = [{"time": int(time)} for time, _ in lines], [text for _, text in lines]
vectors = numpy.fromfile(home / "vectors", dtype="<f4").reshape(-1, WIDTH)
questions = numpy.fromfile(home / "questions", dtype="<f4").reshape(-1, WIDTH)

client = chromadb.PersistentClient(path=str(home / "chroma"))
collection = client.create_collection("said", metadata={"hnsw:space": "cosine"})
began = time.perf_counter()
for first in range(0, len(texts), BATCH):
    some = range(first, min(first + BATCH, len(texts)))
    collection.add(
        ids=[str(number) for number in some],
        embeddings=vectors[some.start : some.stop],
        documents=texts[some.start : some.stop],
        metadatas=times[some.start : some.stop],
    )
ingest_seconds = time.perf_counter() - began

latencies = []
for question in questions:
    began = time.perf_counter()
    collection.query(query_embeddings=[question], n_results=10, include=["documents", "metadatas", "distances"])
    latencies.append(time.perf_counter() - began)
print(json.dumps({"version": chromadb.__version__, "ingest_seconds": ingest_seconds, "latencies": latencies}))
