"""A model's reply, as text, becomes located edits, new bytes and minimal hunks (SPEC E1–E10). Pure: no files, no network.

The way of a reply: `apply` (the entry) → `blocks` or, for whole files, `full` and `fences` → `attempt` (all or nothing)
→ `reading` (which divider is meant) → `locate` and `match` (the tiers) → `render` (the new lines) → `placement` (checks on
them) → `plan` (new bytes) → `hunks`. What cannot be placed goes to `refusal`, with `nearest`, `ambiguity` and `hints`.
Beneath all: `text` (bytes, lines, positions), `document` (a text to look things up in), `paths` (the gate for names).
"""
