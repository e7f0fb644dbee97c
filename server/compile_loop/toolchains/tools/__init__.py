"""One module a toolchain. A module with a `TOOLCHAIN` is found by `registry`; the others are readers that these share."""
