"""What is a secret in a secret-like file, and what is everyday text (SPEC Q26, R1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.contracts.secret_names import is_secret_file
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
    "db.example.org:5432:app:me:Pg-Pass-77-word": "Pg-Pass-77-word",
    "me:$apr1$7h3s4lt$Zx81SpectrumQL": "$apr1$7h3s4lt$Zx81SpectrumQL",
    '{"http-basic":{"x":{"username":"me","password":"zq8-Hunter2-pl0ver"}}}': "zq8-Hunter2-pl0ver",
    '  "Default": "Server=db;User Id=app;Password=tr0ub4dor&3x;Pooling=true",': "tr0ub4dor&3x",
    "define( 'DB_PASSWORD', 'W0rd!Press;47' );": "W0rd!Press;47",
    'admin = { name = "me", password = "Terra-Form-9x" }': "Terra-Form-9x",
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


@pytest.mark.spec("Q26")
def test_the_commands_of_a_file_are_no_secrets() -> None:
    envrc = b"use flake .#dev\nlayout python3\nexport DB_URL_PASSWORD=Only-Here-42x\n"
    assert list(values_in(envrc, "sub/.envrc")) == ["Only-Here-42x"]
    vpn = b"remote vpn.example.org 1194\n<key>\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg\n</key>\n"
    assert list(values_in(vpn, "office.ovpn")) == ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg"]


SECRET_FILES = """
.env .env.local .env.production .envrc sub/.envrc .netrc .npmrc .pypirc .pgpass .htpasswd .my.cnf .git-credentials .s3cfg .boto
rclone.conf terraform.tfvars prod.tfvars x.auto.tfvars infra/db.auto.tfvars.json .docker/config.json kubeconfig
ci/kubeconfig.yaml prod.kubeconfig .kube/config service-account.json service-account-prod.json my-service-account.json
service_account_key.json auth.json sub/auth.json appsettings.Development.json appsettings.Production.json
local.settings.json passwords.kdbx office.ovpn .config/gcloud/credentials.db .config/gcloud/access_tokens.db
.config/gcloud/legacy_credentials/me/adc.json .config/gcloud/application_default_credentials.json .aws/credentials
wp-config.php blog/wp-config.php server.pem example.key .git/hooks/pre-commit.sample credentials.json secrets.yaml
playwright/.auth/user.json .vault-token
"""
READABLE_FILES = """
.env.example .env.local.example .env.sample .env.template .envrc.example terraform.tfvars.example example.tfvars
wp-config-sample.php appsettings.json config.json settings.json docker/config.json .vscode/settings.json appsettings.example.json
auth.example.json locales/en/auth.json src/i18n/de/auth.json src/auth.ts author.json oauth.json kube/config.go kubeconfig_test.go
service_account.go service-account.schema.json variables.tf my.cnf boto.py environment.py src/env.ts local.settings.ts
credentials.json.example package.json tsconfig.json monkey.py keys.py
"""


@pytest.mark.spec("Q26")
@pytest.mark.parametrize("path", SECRET_FILES.split())
def test_secret_files_are_known_by_their_names(path: str) -> None:
    assert is_secret_file(path)


@pytest.mark.spec("Q26")
@pytest.mark.parametrize("path", READABLE_FILES.split())
def test_examples_and_everyday_configuration_stay_readable(path: str) -> None:
    assert not is_secret_file(path)


@pytest.mark.spec("R1")
@pytest.mark.parametrize(
    "path", [".envrc", "prod.tfvars", ".docker/config.json", ".kube/config", "auth.json", "appsettings.Production.json"]
)
def test_their_values_are_taken_out_too(path: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text('password = "zq8-Hunter2-pl0ver-9917"\n')
    assert Redactor(files=FileSecrets(tmp_path)).known("it is zq8-Hunter2-pl0ver-9917.") == "it is [redacted]."
