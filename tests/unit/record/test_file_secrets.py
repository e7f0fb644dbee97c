"""What is a secret in a secret-like file, and what is everyday text (SPEC Q26, R1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.record.file_secrets import FileSecrets, values_in
from compile_loop.record.redact import Redactor

KEPT = {
    "K=ENVSECRET": "ENVSECRET",
    "PIN=swordfish-in-the-env": "swordfish-in-the-env",
    "export DB_PASSWORD='correct horse'": "correct horse",
    'API_TOKEN="a8f3k2m9x1q7"  # rotate': "a8f3k2m9x1q7",
    "ADMIN_PASSWORD=sunflower": "sunflower",
    "DATABASE_URL=postgres://app:hunter2hunter@db:5432/app": "hunter2hunter",
    "SALT=p8ss w0rd!;x": "p8ss w0rd!;x",
    'private_key: "c2VjcmV0LWtleQ=="': "c2VjcmV0LWtleQ==",
    '  "client_secret": "Zx81-Spectrum48K",': "Zx81-Spectrum48K",
    "machine example.org login me password tr0ub4dor&3": "tr0ub4dor&3",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg",
    "MASTER=00f1c2a9e4d7b8aa": "00f1c2a9e4d7b8aa",
}
EVERYDAY = [
    "NODE_ENV=development",
    "DEBUG=true",
    "PORT=3000",
    "HOST=localhost",
    "HOST=127.0.0.1:8080",
    "DB_HOST=db.internal.example.com",
    "BASE_URL=https://example.com/api/v1",
    "DB_NAME=customers_db",
    "AWS_REGION=us-east-1",
    "LOG_DIR=/var/log/application",
    "CONFIG=./config/settings.yaml",
    "HOME_DIR=~/projects",
    "LOCALE=en_US.UTF-8",
    "APP_VERSION=1.20.300",
    "MODEL=gpt-4o-mini",
    "GREETING=Hello",
    "MAIL_FROM=no-reply@example.com",
    "TIMEOUT=30000000",
    "# PASSWORD=old-one-that-was-here",
    "-----BEGIN PRIVATE KEY-----",
    "TOKEN_FILE=/run/secrets/token",
    "PASSWORD=12345678",
    "IMAGE=postgres:14",
    "EMPTY=",
    "[default]",
]


@pytest.mark.spec("Q26")
@pytest.mark.parametrize("line", KEPT)
def test_values_that_would_be_missed_nowhere_are_secrets(line: str) -> None:
    assert KEPT[line] in list(values_in(line.encode()))


@pytest.mark.spec("Q26")
@pytest.mark.parametrize("line", EVERYDAY)
def test_everyday_values_are_none(line: str) -> None:
    assert list(values_in(line.encode())) == []


@pytest.mark.spec("Q26")
def test_files_are_found_at_any_depth_and_other_files_make_a_value_public(tmp_path: Path) -> None:
    (tmp_path / "deploy" / "prod").mkdir(parents=True)
    (tmp_path / "deploy" / "prod" / ".env.production").write_text("A=Only-In-The-Env-1\nB=In-The-Readme-As-Well\n")
    (tmp_path / "node_modules" / "x").mkdir(parents=True)
    (tmp_path / "node_modules" / "x" / ".env").write_text("C=Somebody-Elses-Value\n")
    (tmp_path / "README.md").write_text("Set B to In-The-Readme-As-Well.\n")
    redactor = Redactor(files=FileSecrets(tmp_path, {"sub/.env": b"D=Not-Yet-Saved-Value"}))
    said = "Only-In-The-Env-1 In-The-Readme-As-Well Somebody-Elses-Value Not-Yet-Saved-Value"
    assert redactor.known(said) == "[redacted] In-The-Readme-As-Well Somebody-Elses-Value [redacted]"
    assert redactor.known_bytes(b"\xff Only-In-The-Env-1") == b"\xff [redacted]"
