"""TypeScript's own code fixes: a script for its language service, and what is taken of its answer."""
