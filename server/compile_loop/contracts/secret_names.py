"""Which variables and files hold secrets, and which variables models' keys, by their names (SPEC K3, Q26, Z1).

Providers and their users name keys in ever new ways (`ANTHROPIC_AUTH_TOKEN`, `OPENAI_API_KEY_BACKUP`), so no list of names
would do: a provider's word and a secret's word together make a model's key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET = frozenset(
    [
        "KEY",
        "KEYS",
        "APIKEY",
        "APIKEYS",
        "TOKEN",
        "TOKENS",
        "SECRET",
        "SECRETS",
        "BEARER",
        "PASSWORD",
        "PASSWORDS",
        "PASSWD",
        "PASSPHRASE",
        "PASSWRD",
        "PASSCODE",
        "PASS",
        "PWD",
        "CREDENTIAL",
        "CREDENTIALS",
        "PAT",
        "AUTH",
        "AUTHORIZATION",
        "CREDS",
        "JWT",
        "JWTS",
        "PW",
    ]
)
_PROVIDERS = frozenset(
    [
        "AI21",
        "BEDROCK",
        "CHATGPT",
        "CODESTRAL",
        "COHERE",
        "COPILOT",
        "DASHSCOPE",
        "DEEPINFRA",
        "FIREWORKS",
        "GEMINI",
        "GENAI",
        "GLM",
        "GPT",
        "GROK",
        "GROQ",
        "HF",
        "HYPERBOLIC",
        "KIMI",
        "LITELLM",
        "LLM",
        "LLMS",
        "LMSTUDIO",
        "MINIMAX",
        "MISTRAL",
        "MOONSHOT",
        "NEBIUS",
        "NOVITA",
        "NVIDIA",
        "PPLX",
        "QWEN",
        "REPLICATE",
        "SAMBANOVA",
        "SILICONFLOW",
        "TOGETHER",
        "TOGETHERAI",
        "VERTEX",
        "VERTEXAI",
        "VLLM",
        "VOYAGE",
        "WATSONX",
        "XAI",
        "ZAI",
        "ZHIPU",
        "ZHIPUAI",
    ]
)
"""Words that are too short, or too common as a part of others, to count inside of one."""
_SAYS_WHAT = re.compile(
    r"_(?:NAME|TYPE|PREFIX|SUFFIX|ALGORITHM|FORMAT|MODE|PROVIDER|SERVICE|ISSUER|AUDIENCE|LENGTH|LEN|SIZE|MIN|MAX|COUNT|LIMIT"
    r"|TTL|EXPIRY|EXPIRES|LIFETIME|TIMEOUT|POLICY|STRENGTH|REQUIRED|ENABLED|PARALLELISM|PROMPT|LABEL|HINT"
    r"|FILE|PATH|DIR|FOLDER|ID|DOMAIN|SECURE|AGE|SAMESITE)$"
)
"""Ends of names that say something about a secret; the value is a number or a word of everyday texts."""
_RUN_TOGETHER = re.compile(
    r"(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|API_?KEY|ACCESSKEY|SECRETKEY|PRIVATEKEY|AUTHKEY|SECRET|TOKEN|CREDENTIAL)S?$"
    r"|.PWD$|..PW$|.(?<!BY)(?<!COM)(?<!TRES)(?<!ASK)PASS$"
)
"""Ends of words that hold a secret's word with nothing between: `PGPASSWORD`, `GITHUBTOKEN`, `SSHPASS`."""
_AT_THE_END = re.compile(
    r"(?:^|_)(?:COOKIES?|WEBHOOKS?(?:_UR[LI])?|CONN(?:ECTION)?_?STR(?:ING)?|MNEMONIC|SEED_PHRASE|RECOVERY_CODES?)$"
)
"""Names that end so are those of a secret; further in they only speak of one (`COOKIE_CONSENT`)."""
_PERHAPS = re.compile(r"(?:KEYS?|SALT|SESSION|SID|SIG|SIGNATURE|NONCE|OTP|SEED|DSN|LICEN[CS]E|HMAC|PIN)$")
"""Ends of names under which a value that looks like a key is one (`SIGNINGKEY`, but also `HOTKEY`)."""
_NO_SECRETS = frozenset({"PWD", "OLDPWD"})
"""Whole names of what every shell sets: the folder that it is in."""
_UNMISTAKABLE = re.compile(
    "OPENAI|ANTHROPIC|CLAUDE|CEREBRAS|CODESTRAL|DEEPSEEK|GEMINI|HUGGINGFACE|MISTRAL|OLLAMA|OPENROUTER|PERPLEXITY"
)
_PHRASES = re.compile(
    r"(?:^|_)(?:HUGGING_FACE|OPEN_AI|OPEN_ROUTER|AI_GATEWAY|ALEPH_ALPHA|GITHUB_MODELS|AZURE_(?:AI|API|INFERENCE|COGNITIVE)"
    r"|GOOGLE_(?:API|AI|GENERATIVE|KEYS?|TOKEN|AUTH_TOKEN)|CO_API|COMPILE_LOOP)(?:_|$)"
)


_PRIVATE = re.compile(
    r"(?:^|/)(?:[^/]*\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx?|ovpn)|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*"
    r"|(?:\.git|\.ssh|\.aws|\.gnupg|gcloud/legacy_credentials)/.*|\.auth/[^/]*\.json)$",
    re.IGNORECASE,
)
"""Keys, and folders of secrets: no example among them either."""
_FILE = re.compile(
    r"(?:^|/)(?:\.env(?:rc)?(?:\.[^/]*)?|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|pgpass\.conf|\.?htpasswd|\.my(?:login)?\.cnf"
    r"|\.git-credentials|\.s3cfg|\.boto|\.passwd-s3fs|\.vault[-_](?:token|pass(?:word)?)(?:\.txt)?|\.terraformrc|terraform\.rc"
    r"|rclone\.conf|[^/]*\.tfvars(?:\.json)?|[^/]*credentials[^/]*|[^/]*secrets?\.(?:json|ya?ml|toml|ini)"
    r"|\.docker/config\.json|\.dockercfg|\.dockerconfigjson|\.kube/config[^/]*|(?:[^/]*\.)?kubeconfig(?:\.[^/]*)?"
    r"|(?:[^/]*[-_.])?service[-_]?account[^/]*(?<!\.schema)\.json|auth\.json|local\.settings\.json"
    r"|appsettings\.(?!schema\.)[^/]+\.json|gcloud/access_tokens\.db|wp-config\.php)$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:^|[-_.])(?:example|sample|template|tmpl|tpl|dist)$|(?:^|/)(?!\.env)(?:[^/]*[-_.])?(?:example|sample|template)\.[a-z]+$",
    re.IGNORECASE,
)
"""Files that say what one of secrets looks like: `.env.example`, `example.tfvars`, `wp-config-sample.php`."""
_WORDS_OF_A_PROGRAM = re.compile(
    r"(?:^|/)(?:locales?|i18n|intl|lang|languages?|translations?|messages)/", re.IGNORECASE
)
"""Folders of texts that are shown: their `auth.json` is about logging in."""


def is_secret_file(path: str) -> bool:
    """Whether a file's path, with forward slashes, is named like one that holds secrets."""
    if _PRIVATE.search(path) is not None:
        return True
    if _FILE.search(path) is None or _EXAMPLE.search(path) is not None:
        return False
    return not (path.lower().endswith("/auth.json") and _WORDS_OF_A_PROGRAM.search(path))


def is_secret(variable: str) -> bool:
    """Whether a variable's name says that its value is a secret."""
    words = _words(variable)
    if not words or variable.upper() in _NO_SECRETS or _SAYS_WHAT.search("_".join(words)):
        return False
    return _names_secret(words) or _AT_THE_END.search("_".join(words)) is not None


def may_be_secret(variable: str) -> bool:
    """Whether a value under this name is a secret if it looks like one."""
    words = _words(variable)
    return bool(words) and (_PERHAPS.search(words[-1]) is not None or is_secret(variable))


def _names_secret(words: list[str]) -> bool:
    return not _SECRET.isdisjoint(words) or any(_RUN_TOGETHER.search(word) for word in words)


def holds_key(variable: str) -> bool:
    """Whether a variable's name is one under which a model's key is kept."""
    words = _words(variable)
    if not _names_secret(words):
        return False
    name = "_".join(words)
    return not _PROVIDERS.isdisjoint(words) or bool(_UNMISTAKABLE.search(name) or _PHRASES.search(name))


def without_keys(environ: Mapping[str, str], keep: str | None = None) -> dict[str, str]:
    """The environment without models' keys, save the variable `keep`."""
    return {name: value for name, value in environ.items() if name == keep or not holds_key(name)}


def _words(variable: str) -> list[str]:
    """The name's words in capitals; a number at a word's end counts copies of it."""
    words = []
    for name in dict.fromkeys((variable, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", variable))):  # dbPassword
        words += [word for word in re.split(r"[^A-Z0-9]+", name.upper()) if word]
    return [word if word in _PROVIDERS else word.rstrip("0123456789") or word for word in words]
