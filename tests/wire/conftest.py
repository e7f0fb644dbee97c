"""Fixtures of the wire ring."""

from __future__ import annotations

from tests.support.model_server import model_server

__all__ = ["model_server"]
