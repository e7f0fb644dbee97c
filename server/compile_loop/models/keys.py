"""Which variables of the environment hold models' keys: named to people, kept from programs (SPEC Z1)."""

from __future__ import annotations

import re
from collections.abc import Mapping

_MODEL_KEY = re.compile(
    r"^(?:OPENAI|ANTHROPIC|AZURE_OPENAI|AZURE_AI|GEMINI|GOOGLE|GOOGLE_AI|GOOGLE_GENERATIVE_AI|MISTRAL|GROQ|OPENROUTER"
    r"|DEEPSEEK|XAI|TOGETHER|FIREWORKS|COHERE|PERPLEXITY|CEREBRAS|DASHSCOPE|MOONSHOT|HF|HUGGINGFACE|OLLAMA|LITELLM|LLM"
    r"|REPLICATE|NVIDIA|COMPILE_LOOP(?:_LLM)?)_(?:API_|AUTH_)?(?:KEY|TOKEN)S?$"
)


def holds_key(variable: str) -> bool:
    """Whether a variable's name is one under which a model's key is kept."""
    return _MODEL_KEY.match(variable) is not None


def without_keys(environ: Mapping[str, str], keep: str | None = None) -> dict[str, str]:
    """The environment without models' keys, save the variable `keep`."""
    return {name: value for name, value in environ.items() if name == keep or not holds_key(name)}
