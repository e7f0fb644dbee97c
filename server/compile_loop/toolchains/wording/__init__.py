"""Fixes that a message states in words (SPEC D5): `did you mean ‘length’?`, `';' expected`, `imported and not used`.

Many compilers say what would help and offer no edit for it. Where the words leave one place and one text, they are as
good as an edit: like all suggestions these are tried in the isolated copy, and kept only if the check says so.
"""
