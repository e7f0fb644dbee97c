"""The product's version, for every room that tells it."""

VERSION = "0.1.0"
