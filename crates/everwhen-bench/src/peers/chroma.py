"""Fills a ChromaDB collection for each memory in a folder with texts and vectors, asks its questions, and prints what was found
and how long it took.
"""

import json
import sys
import time
from pathlib import Path

import chromadb
import numpy

WIDTH = 256
BATCH = 5000

home, limit = Path(sys.argv[1]), int(sys.argv[2])
vectors = numpy.fromfile(home / "vectors", dtype="<f4").reshape(-1, WIDTH)
asked = numpy.fromfile(home / "questions", dtype="<f4").reshape(-1, WIDTH)
client = chromadb.PersistentClient(path=str(home / "chroma"))
ingest_seconds, latencies, found = 0.0, [], []
stored = 0

with (home / "texts").open() as texts:
    for number, line in enumerate((home / "memories").read_text().splitlines()):
        memory = json.loads(line)
        entries = [json.loads(texts.readline()) for _ in range(memory["entries"])]
        collection = client.create_collection(f"memory{number}", metadata={"hnsw:space": "cosine"})
        began = time.perf_counter()
        for first in range(0, len(entries), BATCH):
            some = entries[first : first + BATCH]
            collection.add(
                ids=[str(first + place) for place in range(len(some))],
                embeddings=vectors[stored + first : stored + first + len(some)],
                documents=[entry["text"] for entry in some],
                metadatas=[{"time": entry["second"]} for entry in some],
            )
        ingest_seconds += time.perf_counter() - began
        stored += len(entries)
        for before in memory["questions"]:
            narrowed = {} if before is None else {"where": {"time": {"$lt": before}}}
            began = time.perf_counter()
            answer = collection.query(
                query_embeddings=[asked[len(found)]],
                n_results=limit,
                include=["documents", "metadatas", "distances"],
                **narrowed,
            )
            latencies.append(time.perf_counter() - began)
            found.append([int(place) for place in answer["ids"][0]])

reply = {"version": chromadb.__version__, "ingest_seconds": ingest_seconds, "latencies": latencies, "found": found}
print(json.dumps(reply))
