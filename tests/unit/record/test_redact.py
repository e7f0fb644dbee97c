"""Secrets leave no trace in a record, in whatever form they come (SPEC R1, Z1)."""

from __future__ import annotations

import base64
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile_loop.record import redact
from compile_loop.record.redact import MARK, Redactor

pytestmark = pytest.mark.spec("R1", "Z1")

SHAPED = [
    "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl",
    "sk-ant-api03-Ab12Cd34Ef56Gh78Ij90Kl",
    "ghp_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78",
    "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    "glpat-Ab12Cd34Ef56Gh78Ij90",
    "xoxb-1234567890-abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "gsk_Ab12Cd34Ef56Gh78Ij90Kl",
    "hf_AbCdEfGhIjKlMnOpQrStUvWx",
    "npm_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78",
    "rk_live_Ab12Cd34Ef56Gh78",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
]
PEM = "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128\n\nMIIEpAIBAAKCAQEA0Z3\nVS5JJcds3xfn\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("secret", SHAPED)
@pytest.mark.parametrize("around", ["key = {}", "\n{}\n", '"{}"', "({})", "a\t{},b", "https://x.example/?k={}&n=1"])
def test_strings_shaped_like_keys_go_from_text_and_from_json(secret: str, around: str) -> None:
    text = around.format(secret)
    redactor = Redactor()
    assert secret not in redactor.text(text) and MARK in redactor.text(text)
    line = redactor.text(json.dumps({"text": text, "calls": json.dumps({"search": text})}))
    assert secret not in line
    assert json.loads(json.loads(line)["calls"])["search"] == around.format(MARK)


@pytest.mark.parametrize(
    "text",
    [
        "sketch-of-a-plan-for-the-week-after-next",
        "risk-assessment-of-the-new-release-2024",
        "the authorization header is read by authorize_request_of_client",
        "def authorization(request: AuthorizationRequest) -> Bearer: ...",
        "error: basic block expected before token",
        "http://localhost:8080/path@2x.png",
        "git@github.com:owner/repository.git",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "int token = next_token(lexer); /* bearer of news */",
        'headers = {"Authorization": f"Bearer {token}"}',
        "eyJ is how such a thing begins",
    ],
)
def test_code_and_prose_that_only_look_alike_stay(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer "),
        ('{"authorization": "Basic dXNlcjpwYXNz"}', '{"authorization": "Basic '),
        ("curl -H 'authorization: token 0123456789abcdef01'", "curl -H 'authorization: token "),
        ("> x-api-key: 7c9e6679f7425", "> x-api-key: "),
        ("proxy http://me:hunter2hunter@proxy.example:3128", "proxy http://me:"),
    ],
)
def test_what_headers_and_addresses_carry_goes_and_their_names_stay(text: str, kept: str) -> None:
    got = Redactor().text(text)
    assert got.startswith(kept + MARK)
    escaped = json.dumps({"m": text})
    assert json.loads(Redactor().text(escaped))["m"] == got


def test_private_keys_go_whole_also_inside_of_json() -> None:
    text = f'KEY = """{PEM}"""\nrest = 1\n'
    assert Redactor().text(text) == f'KEY = """{MARK}"""\nrest = 1\n'
    twice = json.dumps({"a": json.dumps({"b": text})})
    assert json.loads(json.loads(Redactor().text(twice))["a"])["b"] == f'KEY = """{MARK}"""\nrest = 1\n'


def test_a_private_key_that_is_cut_off_goes_and_json_stays_well_formed() -> None:
    cut = PEM[: PEM.index("VS5J")]
    line = json.dumps({"text": cut, "next": "kept"})
    value = json.loads(Redactor().text(line))
    assert value == {"text": MARK, "next": "kept"}


def test_values_of_secret_variables_go_by_their_names_alone() -> None:
    redactor = Redactor.of(
        {
            "OPENAI_API_KEY": "zebra-stripes-1",
            "MY_SERVICE_TOKEN": "quagga-quagga",
            "DB_PASSWORD": 'semi"colon\\back',
            "AWS_SECRET_ACCESS_KEY": "okapi/okapi+okapi==",
            "HOME": "/home/somebody",
            "EDITOR": "zebra-editor",
            "SSH_AUTH_SOCK": "/tmp/agent.1234",
            "SHORT_KEY": "abc",
        },
        ["typed-in-by-hand"],
    )
    text = 'zebra-stripes-1 quagga-quagga semi"colon\\back okapi/okapi+okapi== typed-in-by-hand /home/somebody zebra-editor abc'
    assert redactor.text(text) == f"{MARK} {MARK} {MARK} {MARK} {MARK} /home/somebody zebra-editor abc"
    assert json.loads(redactor.text(json.dumps(text))) == redactor.text(text)
    assert "okapi" not in redactor.text("https://x.example/?k=okapi%2Fokapi%2Bokapi%3D%3D")


NAMED = [
    "PGPASSWORD", "MYSQL_PWD", "SSHPASS", "GITHUBTOKEN", "DBPASSWD", "REDISPWD", "STRIPEAPIKEY", "CLIENTSECRET", "dbPassword",
    "npm_config__authToken", "DB_PASS", "SUDO_PASS", "ACCESSTOKEN2", "MY_APIKEY", "KEYPASSPHRASE",
]  # fmt: skip
HONEST = [
    "PWD", "OLDPWD", "TOKENIZERS_PARALLELISM", "PASSWORD_MIN_LENGTH", "PASSWORD_POLICY", "TOKEN_TTL", "SECRET_LENGTH", "BYPASS",
    "COMPASS", "KEYBOARD", "MONKEY", "AUTHOR", "GIT_ASKPASS", "PATH", "passwordMinLength", "SECRETARY", "TOKENIZER", "LESSKEYMAP",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_names_of_secrets_need_no_separators(name: str) -> None:
    assert Redactor.of({name: "zebra-quagga"}).known("a zebra-quagga b") == f"a {MARK} b"


@pytest.mark.parametrize("name", HONEST)
def test_names_that_only_look_like_it_are_none(name: str) -> None:
    assert Redactor.of({name: "zebra-quagga"}).known("a zebra-quagga b") == "a zebra-quagga b"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://bob:p@ssw0rd@db/x", f"postgres://bob:{MARK}@db/x"),
        ("https://q7w8e9r0t1y2u3i4o5p6@dev.azure.com/x", f"https://{MARK}@dev.azure.com/x"),
        ("https://q7w8e9r0t1y2u3i4o5p6:@host/x", f"https://{MARK}:@host/x"),
        ("https://q7w8e9r0t1y2u3i4o5p6:x-oauth-basic@host/x", f"https://{MARK}:{MARK}@host/x"),
        ("ssh://git@github.com/a/b", "ssh://git@github.com/a/b"),
        ("https://some.body@host:8080/x@2x", "https://some.body@host:8080/x@2x"),
        ("see https://a.example/ and mail me@b.example", "see https://a.example/ and mail me@b.example"),
    ],
)
def test_log_ins_of_addresses_go_and_the_addresses_stay(text: str, left: str) -> None:
    assert Redactor().text(text) == left
    if MARK in left:
        assert Redactor.of({"ANY_URL": text}).known(text) != text


def test_a_secrets_word_anywhere_in_a_name_counts_unless_the_name_says_what_it_is() -> None:
    redactor = Redactor.of(
        {
            "KEY_OF_MINE": "zebra-stripes-1",
            "TOKEN_2": "quagga-quagga",
            "CACHE_KEY_PREFIX": "production",
            "MONKEY": "okapi-okapi",
        }
    )
    assert (
        redactor.text("zebra-stripes-1 quagga-quagga production okapi-okapi") == f"{MARK} {MARK} production okapi-okapi"
    )


def test_a_variable_that_says_where_a_secret_lies_is_none(tmp_path: object) -> None:
    assert Redactor.of({"GOOGLE_CREDENTIALS": str(tmp_path)}).text(f"in {tmp_path}") == f"in {tmp_path}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_files_lose_secrets_and_nothing_else(encoding: str) -> None:
    before = f'key = "{SHAPED[0]}"\r\nname = "Zoë"\r'.encode(encoding)
    after = Redactor().bytes(before)
    assert after.decode(encoding) == f'key = "{MARK}"\r\nname = "Zoë"\r'


def test_bytes_without_a_secret_are_the_same_object() -> None:
    for data in (b"\xff\xfe\x00", b"\xff\x00\xfe", bytes(range(256)), b""):
        assert Redactor(["a-secret-value"]).bytes(data) is data


def test_a_secret_that_is_not_ascii_goes_from_files() -> None:
    assert Redactor(["pässwörd-123"]).bytes("x = 'pässwörd-123'".encode()) == f"x = '{MARK}'".encode()


@given(
    secret=st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs")), min_size=8, max_size=40),
    before=st.text(max_size=20),
    after=st.text(max_size=20),
)
def test_no_secret_survives_in_text_or_json_whatever_it_is_made_of(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    text = f"{before}{secret}{after}"
    assert secret not in redactor.text(text).replace(MARK, "")
    line = redactor.text(json.dumps({"text": text}, ensure_ascii=False))
    assert secret not in line.replace(MARK, "") and json.dumps(secret)[1:-1] not in line.replace(MARK, "")


@given(st.text(string.printable, max_size=300))
def test_redacting_twice_is_as_once(text: str) -> None:
    redactor = Redactor(["printable"])
    assert redactor.text(redactor.text(text)) == redactor.text(text)


@pytest.mark.timeout(60)
def test_floods_end() -> None:
    redactor = Redactor(["one-secret-value"])
    for flood in ("a-" * 60_000, "://a" * 30_000, "authorization: " * 8_000, "-----BEGIN PRIVATE KEY-----\n" * 4_000):
        redactor.text(flood + base64.b64encode(bytes(60_000)).decode())


@pytest.mark.spec("R1", "Z1")
@pytest.mark.parametrize("hint", sorted({hint for hint, _ in (*redact._SHAPES, *redact._HEADERS)}))
@pytest.mark.parametrize("before", ["", "x", "a-b_c ", "é\n", "--", "__"])
@pytest.mark.parametrize("after", ["", "_", "-z", " 😀"])
def test_a_hint_is_never_overlooked(hint: str, before: str, after: str) -> None:
    """Shapes are only looked for where the text has their hint, found by one walk for many of them."""
    assert redact._Hints(f"{before}{hint}{after}").may_have(hint)
    if hint in redact._FOLDED:
        assert redact._Hints(f"{before}{hint.upper()}{after}").may_have(hint)
