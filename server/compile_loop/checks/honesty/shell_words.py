"""What a shell line runs: checks, what may fail unheeded, and pipes (SPEC K7)."""

from __future__ import annotations

import re

CHECKS = re.compile(
    r"\b(?:make|ninja|ctest|cmake|pytest|unittest|tox|nox|cargo|rustc|npm|npx|yarn|pnpm|bun|node|jest|vitest|mocha|"
    r"tsc|eslint|biome|go (?:test|vet|build)|"
    r"golangci-lint|mvnw?|gradlew?|javac|java|gcc|g\+\+|cc|clang\+*|python3?|mypy|pyright|ruff|flake8|pylint|"
    r"black|bash|sh|diff|cmp|valgrind|"
    r"test|tests|check|checks|lint|build|verify|shellcheck|dotnet|swift|ghc|zig|php|ruby|perl)\b|\$\(?\{?(?:CC|"
    r"CXX|PYTHON|MAKE|NPM|GO|CARGO)\b|\./\S+|\$\{?\w*(?:TEST|CHECK|LINT|BUILD)\w*",
)
HARMLESS = re.compile(
    r"^[\s@-]*(?:-\s+)?(?:run:\s*)?(?:\w+=\S*\s+)*(?:sudo\s+)?(?:rm|rmdir|mkdir|kill|pkill|killall|umount|unlink|"
    r"grep|egrep|ln|chmod|chown|stty|"
    r"tput|git(?!\s+diff)|(?:docker|podman|nerdctl)(?:[- ]compose)?(?!\s+(?:\S+\s+)?(?:run|exec|build|up)\b)|"
    r"command|which|type|id|hash|pgrep|unset|ulimit|read|wait|source|\.|fuser|sync|dropdb|systemctl|launchctl|"
    r"(?:kubectl|kind|minikube) delete|helm uninstall|losetup -d|ip (?:link|netns) del|iptables -D|tmux kill-\w+|deluser|userdel|"
    r"pg_ctl stop|vagrant destroy|terraform destroy|cargo clean|go clean|(?:\$\(?\w+\)?|make|npm run|mvn\w*|"
    r"\./gradlew) (?:clean|teardown|down)$)(?:\b|(?=\s|$))"
)
PIPE = re.compile(r"(?<!\|)\|(?![|&])\s*(?:tee|tail|head|cat|less|grep|sed|awk|ts|sort)\b")
