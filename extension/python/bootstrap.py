"""`python bootstrap.py EXTENSION STORAGE`: which interpreter runs the server; in a packed extension, made first.

Prints JSON lines: `{"done": 3, "of": 60}` while it works, at last `{"python": PATH}` or `{"error": SENTENCE}`. Any Python
has to be able to read this file, since it says that one is too old.
"""

import json
import sys

OLDEST = (3, 10)

if __name__ == "__main__":
    if sys.version_info < OLDEST:
        found = "Python %d.%d (%s)" % (sys.version_info[0], sys.version_info[1], sys.executable)  # noqa: UP031
        print(json.dumps({"error": "%s is too old: Compile Loop needs %d.%d or newer." % ((found,) + OLDEST)}))  # noqa: UP031, RUF005
        sys.exit(1)
    from pathlib import Path

    from environment import main

    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
