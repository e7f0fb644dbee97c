"""Turn generators: one file a wire protocol, over shared streaming, retry, timeouts and error wording (SPEC M1-M8)."""
