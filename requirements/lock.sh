#!/usr/bin/env bash
# Write the locked requirements anew from pyproject.toml: hashes, every supported Python, no index address.
set -euo pipefail
cd "$(dirname "$0")/.."
lock() { uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-annotate \
  --custom-compile-command requirements/lock.sh "$@"; }
lock pyproject.toml requirements/build.in --output-file requirements/runtime.txt
lock pyproject.toml --extra mcp --constraints requirements/runtime.txt --output-file requirements/vsix.txt # what the extension carries
lock pyproject.toml requirements/build.in --extra mcp --group dev --constraints requirements/vsix.txt \
  --constraints requirements/runtime.txt --output-file requirements/dev.txt
uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-annotate --no-deps \
  --custom-compile-command requirements/lock.sh tests/model/requirements.in --output-file tests/model/requirements.txt
