"""Quick fixes of the language servers that a user has: a program that asks one, and what is taken of its answer (SPEC D5)."""
