"""Names, values and commands that hold secrets, and as many that do not (SPEC R1, Z1)."""

from __future__ import annotations

import pytest

from compile_loop.contracts.inline_secrets import inline_secrets, without_secrets
from compile_loop.record.redact import Redactor

RANDOM = "9f8e7d6c5b4a32101f2e"
SECRET = {
    "LDAP_BINDPW": "tuesday-fish",
    "ADMINPW": "tuesday-fish",
    "DB_PW": "tuesday-fish",
    "HTTP_AUTHORIZATION": "Basic dHVlc2RheQ==",
    "SERVICE_CREDS": "tuesday-fish",
    "JWT": "tuesday-fish",
    "SESSION_COOKIE": "sid=tuesday; path=/",
    "COOKIE": "tuesday-fish",
    "SLACK_WEBHOOK": "https://hooks.example.com/services/T0/B0/tuesdayfish",
    "SLACK_WEBHOOK_URL": "https://hooks.example.com/services/T0/B0/tuesdayfish",
    "AZURE_STORAGE_CONNECTION_STRING": "AccountName=x;AccountKey=tuesdayfish==",
    "WALLET_MNEMONIC": "fish tuesday other words",
    "PRIVKEY": RANDOM,
    "SIGNINGKEY": RANDOM,
    "PASSWORD_SALT": RANDOM,
    "APP_SESSION": RANDOM,
    "URL_SIGNATURE": RANDOM,
}
PARTS = {
    "DATABASE_URL": ("postgres://app:tuesday-fish@db:5432/app", "tuesday-fish"),
    "REPORT_DSN": ("mysql://app:tuesday-fish@db/app", "tuesday-fish"),
    "SENTRY_DSN": (f"https://{RANDOM}@o1.ingest.example.io/1", RANDOM),
    "ORDERS_DB": ("host=db port=5432 user=app password=tuesday-fish", "tuesday-fish"),
    "BLOB": (f"https://x.example.net/c?sv=1&sig={RANDOM}", RANDOM),
}
ORDINARY = {
    "HOTKEY": "ctrl-shift-f12",
    "PRIMARYKEY": "customer_id",
    "PUBLIC_URL": "https://example.com/app",
    "COOKIE_DOMAIN": "app.example.com",
    "COOKIE_CONSENT_VERSION": "version-2024-06",
    "SESSION_COOKIE_NAME": "orders_session",
    "SESSION": "ubuntu-wayland",
    "WEBHOOK_HOST": "hooks.example.com",
    "JWT_ALGORITHM": "HS256-HS512",
    "TOKEN_FILE": "/nonexistent/token.txt",
    "RANDOM_SEED": "1234567890123456",
    "DATABASE_URL": "postgres://localhost:5432/app",
    "DB_DSN": "sqlite:///orders.sqlite3",
    "MONKEY": "see-no-evil",
    "KEYBOARD_LAYOUT": "us-international",
    "PATH": "/usr/local/bin:/usr/bin",
    "PWD": "/srv/projects/orders",
    "GIT_COMMIT": RANDOM,
    "LICENSE": "Apache-2.0-with-LLVM",
    "CLIENT_ID": "orders-frontend-2024",
    "LDAP_BIND_DN": "cn=orders,dc=example,dc=com",
}
COMMANDS = {
    "PGPASSWORD=x ./run": "PGPASSWORD=[redacted] ./run",
    "env API_TOKEN='a b' make test": "env API_TOKEN='[redacted]' make test",
    'DB_PW="q" A=1 ./run && echo ok': 'DB_PW="[redacted]" A=1 ./run && echo ok',
    "./run --password=hunter2 --port 80": "./run --password=[redacted] --port 80",
    "./run --api-key abc -v": "./run --api-key [redacted] -v",
    "mvn -Ddb.password=hunter2 test": "mvn -Ddb.password=[redacted] test",
    "curl -u me:hunter2 http://x/": "curl -u me:[redacted] http://x/",
    "curl -H 'Authorization: Bearer abc.def' http://x/": "curl -H 'Authorization: Bearer [redacted]' http://x/",
    "psql postgres://app:hunter2@db/app": "psql postgres://app:[redacted]@db/app",
}
PLAIN = [
    "make CC=gcc CFLAGS='-O2 -Wall'",
    "PGPASSWORD=$PGPASSWORD ./run",
    "TOKEN=$(cat token) ./run",
    "AUTH=none ./run",
    "./run --token-file secrets/token.txt",
    "./run --key ./id.pem",
    "PASS=1 ./run",
    "pytest -k 'token or password' tests",
    "cargo test --features auth",
    "go test ./auth/...",
    "npm run test -- --grep token",
    "docker run -u 1000:1000 img",
    "SSH_KEY=~/.ssh/id ./run",
    "./run --no-password",
    "test $password = x",
    "curl -H 'Accept: text/plain' http://localhost:8080/",
    "python3 -m pytest --keyring=off",
    "MODE=key-exchange ./run",
]


@pytest.mark.spec("R1")
@pytest.mark.parametrize("name", SECRET)
def test_what_is_under_such_a_name_is_a_secret(name: str) -> None:
    assert Redactor.of({name: SECRET[name]}).text(f"it said {SECRET[name]}!") == "it said [redacted]!"


@pytest.mark.spec("R1")
@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_such_a_value_is_a_secret(name: str) -> None:
    value, secret = PARTS[name]
    said = Redactor.of({name: value}).known(f"it said {secret}!")
    assert said == "it said [redacted]!"


@pytest.mark.spec("R1")
@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_names_and_values_stay(name: str) -> None:
    said = f"it said {ORDINARY[name]}!"
    assert Redactor.of({name: ORDINARY[name]}).text(said) == said


@pytest.mark.spec("R1", "Z1")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_secret_in_a_command_is_not_shown(command: str) -> None:
    assert without_secrets(command) == COMMANDS[command]


@pytest.mark.spec("R1")
@pytest.mark.parametrize("command", PLAIN)
def test_ordinary_commands_are_shown_as_they_are(command: str) -> None:
    assert inline_secrets(command) == [] and without_secrets(command) == command


@pytest.mark.spec("R1", "Z1")
def test_a_vector_is_read_like_a_line() -> None:
    assert without_secrets(("./run", "--token", "a b", "-v")) == ("./run", "--token", "[redacted]", "-v")
    assert without_secrets(("./run", "--token=abc", "x")) == ("./run", "--token=[redacted]", "x")
