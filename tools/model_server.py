"""Serves one GGUF model on loopback with llama.cpp (PyPI xllamacpp). Started by tools/model-server."""

import argparse
import os
import signal
import sys
import threading

import xllamacpp


def parameters(model, port):
    """One slot and one thread: on a busy machine more threads wait for each other."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2-135m"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = 1
    params.n_ctx = 8192
    params.n_threads_http = 4
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.ui = False
    params.use_jinja = True
    params.sampling.seed = 1
    # Without this a model this small repeats itself until it is cut off; with more it stops quoting.
    params.sampling.penalty_repeat = 1.03
    params.sampling.penalty_last_n = 256
    return params


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--stdin", action="store_true")
    args = parser.parse_args()
    over = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: over.set())
    server = xllamacpp.Server(parameters(args.model, args.port))
    print(server.listening_address, flush=True)
    if args.stdin:
        threading.Thread(target=lambda: (sys.stdin.buffer.read(), over.set()), daemon=True).start()
    while not over.wait(0.5):
        pass
    # The library has no orderly stop of its own, and nothing here needs saving.
    os._exit(0)


main()
