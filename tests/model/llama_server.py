"""llama.cpp's own HTTP server on a port of 127.0.0.1: `python llama_server.py MODEL.gguf`, which prints its address.

Runs with the packages of `.cache/llama` alone, until its standard input ends.
"""

from __future__ import annotations

import sys
from pathlib import Path

CONTEXT = 2048
"""Tokens of one conversation; two may go at once."""


def main(model: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = ["smollm2"]
    params.n_ctx = CONTEXT * 2
    params.n_parallel = 2
    params.kv_unified = False
    params.use_jinja = True
    params.chat_template = (
        Path(__file__).with_name("template.jinja").read_text("utf-8")
    )  # the model's own knows no tools
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.offline = True
    params.warmup = False
    params.endpoint_slots = True
    params.cpuparams.n_threads = 1  # two wait for each other by spinning, which a busy machine turns into minutes
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
