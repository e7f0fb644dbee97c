"""One file a toolchain: how to notice it, what to run, how to read its output, what it suggests (SPEC D1 to D5).

`reading.OutputReader` and `reading.parse` turn a check's output into diagnostics; `detect.detect` finds the check for
files; `registry.known_tools` names the programs. A new language is one file in `tools/` and a folder of samples.
"""
