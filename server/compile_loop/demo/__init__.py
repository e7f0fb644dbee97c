"""The bundled demonstration: a broken program, recorded replies, and a small server that serves them."""
