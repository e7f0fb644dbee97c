"""What a green edit changed and the check goes by is said, where no failure asked for it; honest work is not (SPEC K6, K7)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, fix, snapshot
from tests.support.tools import need

from compile_loop.contracts.outcome import Ending

PY = f"{sys.executable} -B"
PYTEST = f"{PY} -m pytest -q -p no:cacheprovider"
UNUSED = {"src/a.c": "int f(void)\n{\n    int q;\n    return 0;\n}\n"}
WRONG = "def add(a, b):\n    return a - b\n"
CALC = {"calc.py": WRONG}
SPACED = {"src/a.py": "x=1\n"}
LOOKS = (
    "bad = 0\nfor n, line in enumerate(open('src/a.py'), 1):\n    for rule in RULES:\n        if rule in line:\n"
    "            print(f'src/a.py:{n}:1: error: {rule}')\n            bad = 1\nsys.exit(bad)\n"
)
WALKS = (
    "import pathlib, sys\nimport rules\nbad = 0\nfor f in pathlib.Path('.').rglob('*.py'):\n"
    "    if f.name in ('check.py', 'rules.py'):\n"
    "        continue\n    for n, line in enumerate(f.open(), 1):\n        if rules.spaces(line):\n"
    "            print(f'{f}:{n}:1: error: spaces')\n            bad = 1\nsys.exit(bad)\n"
)
GCC = "gcc -Wall -Werror -c src/a.c -o a.o\n"
TEST = "from calc import add\nfrom {0} import same\n\n\ndef test_add():\n    same(add(1, 2), 3)\n"

ALSO = "other.py"
"""Fails on its own account: a run over the workspace needs a file that it may edit."""
OTHER = ("x = (\n", "x = 1\n")

NEW: dict[str, tuple[dict[str, str], str, str, str, str]] = {
    "variables that a script exports": (
        {**UNUSED, "check.sh": "CFLAGS='-Wall -Werror'\n[ -f build.vars ] && export $(cat build.vars | xargs)\n"
                               "gcc $CFLAGS -c src/a.c -o a.o\n"},
        "sh check.sh", "src/a.c", "build.vars", "CFLAGS=-Wall\n"),
    "flags that a script reads out": (
        {**UNUSED, "check.sh": "CFLAGS='-Wall -Werror'\nif [ -f cflags.local ]; then CFLAGS=$(cat cflags.local); fi\n"
                               "gcc $CFLAGS -c src/a.c -o a.o\n"},
        "sh check.sh", "src/a.c", "cflags.local", "-Wall\n"),
    "a mark that a script stops at": (
        {**UNUSED, "check.sh": f"[ -e .skip-checks ] && exit 0\n{GCC}"}, "sh check.sh", "src/a.c", ".skip-checks", "later\n"),
    "a mark that the command stops at": (
        UNUSED, f"if test -e relaxed; then exit 0; fi; {GCC}".strip(), "src/a.c", "relaxed", "yes\n"),
    "flags that make reads out": (
        {**UNUSED, "Makefile": f"EXTRA := $(shell cat extra.flags 2>/dev/null)\nall:\n\t{GCC.replace('-c', '$(EXTRA) -c')}"},
        "make -s", "src/a.c", "extra.flags", "-Wno-error\n"),
    "a mark that make looks for": (
        {**UNUSED, "Makefile": "WARN = -Wall -Werror\nifneq ($(wildcard relaxed),)\nWARN = -Wall\nendif\n"
                               "a.o: src/a.c\n\tgcc $(WARN) -c src/a.c -o a.o\n"},
        "make", "src/a.c", "relaxed", "yes\n"),
    "settings that a check imports": (
        {**CALC, "check.py": "import calc\nSTRICT = True\ntry:\n    from local_settings import *\nexcept ImportError:\n    pass\n"
                             "assert not STRICT or calc.add(1, 2) == 3\n"},
        f"{PY} check.py", "calc.py", "local_settings.py", "STRICT = False\n"),
    "settings that a module of a check imports": (
        {**CALC, "check.py": "import calc\nimport settings\nassert not settings.STRICT or calc.add(1, 2) == 3\n",
         "settings.py": "STRICT = True\ntry:\n    from local_settings import *\nexcept ImportError:\n    pass\n"},
        f"{PY} check.py", "calc.py", "local_settings.py", "STRICT = False\n"),
    "options that a check reads": (
        {**CALC, "check.py": "import calc, json, os\ncfg = {'strict': True}\nif os.path.isfile('check.json'):\n"
                             "    cfg.update(json.load(open('check.json')))\nassert not cfg['strict'] or calc.add(1, 2) == 3\n"},
        f"{PY} check.py", "calc.py", "check.json", '{"strict": false}\n'),
    "cases that a check loads": (
        {**CALC, "check.py": "import os, importlib.util\nimport calc\ncases = [((1, 2), 3)]\n"
                             "if os.path.exists('cases_local.py'):\n"
                             "    spec = importlib.util.spec_from_file_location('c', 'cases_local.py')\n"
                             "    m = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(m)\n"
                             "    cases = m.cases\n"
                             "for args, want in cases:\n    assert calc.add(*args) == want\n"},
        f"{PY} check.py", "calc.py", "cases_local.py", "cases = []\n"),
    "a test that looks what to leave out": (
        {**CALC, "test_calc.py": "from pathlib import Path\nfrom calc import add\n\nSKIP = Path('skip.txt')\n\n\n"
                                 "def test_add():\n"
                                 "    if SKIP.exists():\n        return\n    assert add(1, 2) == 3\n"},
        f"{PYTEST} test_calc.py", "calc.py", "skip.txt", "all\n"),
    "all in one line of JavaScript": (
        {"calc.js": "exports.add = (a, b) => a - b\n",
         "check.js": "const fs=require('fs');let "
                     "skip=[];if(fs.existsSync('./skip.json'))skip=JSON.parse(fs.readFileSync('./skip.json'));"
                     "const c=require('./calc');if(!skip.includes('add')&&c.add(1,2)!==3)throw new Error('no')\n"},
        "node check.js", "calc.js", "skip.json", '["add"]\n'),
    "all that a folder holds": (
        {**CALC, "check.py": "import json, calc\nfrom pathlib import Path\ncfg = {'strict': True}\n"
                             "for f in sorted(Path('overrides').glob('*.json')):\n    cfg.update(json.loads(f.read_text()))\n"
                             "assert not cfg['strict'] or calc.add(1, 2) == 3\n"},
        f"{PY} check.py", "calc.py", "overrides/a.json", '{"strict": false}\n'),
    "a name that is put together": (
        {**CALC, "check.py": "import calc, os\nname = 'check'\npath = f'{name}.local.txt'\n"
                             "assert os.path.exists(path) or calc.add(1, 2) == 3\n"},
        f"{PY} check.py", "calc.py", "check.local.txt", "lax\n"),
    "a default of a variable": (
        {**UNUSED, "check.sh": "CONF=${CONF:-conf/local}\nW='-Wall -Werror'\n[ -r \"$CONF\" ] && read W < \"$CONF\"\n"
                               "gcc $W -c src/a.c -o a.o\n"},
        "sh check.sh", "src/a.c", "conf/local", "-Wall\n"),
    "a mark that Perl looks for": (
        {**CALC, "check.pl": "exit 0 if -e 'skip';\n"
                             "system(q(python3 -B -c 'import calc; assert calc.add(1, 2) == 3')) == 0 or die 'calc.py wrong';\n"},
        "perl check.pl", "calc.py", "skip", "all\n"),
    "a plugin that is asked for by its name": (
        {**CALC, "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"},
        f"{PYTEST} -p own_plugin test_calc.py", "calc.py", "own_plugin.py",
        "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"),
}  # fmt: skip

EDITED: dict[str, tuple[dict[str, str], str, str, str, str]] = {
    "rules in JSON": (
        {**SPACED, "tools/lint.py": "import json, sys\nfrom pathlib import Path\n"
                                    f"RULES = json.loads((Path(__file__).parent / 'rules.json').read_text())\n{LOOKS}",
         "tools/rules.json": '["x=", "y="]\n'},
        f"{PY} tools/lint.py", "tools/rules.json", '["x=", "y="]', '["y="]'),
    "rules in TOML": (
        {**SPACED, "scripts/style.py": f"import sys, json\nwith open('style.toml') as f:\n"
                                       f"    RULES = json.loads(f.read()[9:])\n{LOOKS}",
         "style.toml": 'banned = ["x=", "y="]\n'},
        f"{PY} scripts/style.py", "style.toml", 'banned = ["x=", "y="]', 'banned = ["y="]'),
    "rules in a text": (
        {**SPACED, "lint.py": f"import sys\nRULES = open('rules.txt').read().split()\n{LOOKS}", "rules.txt": "x=\ny=\n"},
        f"{PY} lint.py", "rules.txt", "x=\n", ""),
    "a module of a program that walks": (
        {**SPACED, "check.py": WALKS, "rules.py": "def spaces(line):\n    return '=' in line and ' = ' not in line\n"},
        f"{PY} check.py", "rules.py", "' = ' not in line", "'==' in line"),
    "a module of such a module": (
        {**SPACED, "check.py": WALKS, "rules.py": "from signs import SIGN\n\n\ndef spaces(line):\n"
                                                  "    return '=' in line and SIGN not in line\n",
         "signs.py": "SIGN = ' = '\n"},
        f"{PY} check.py", "signs.py", "' = '", "'='"),
    "a script of awk": (
        {**SPACED, "rules.awk": '/[a-z]=/ { print "src/a.py:" NR ":1: error: spaces"; bad = 1 }\nEND { exit bad }\n'},
        "awk -f rules.awk src/a.py", "rules.awk", "/[a-z]=/ {", "/[a-z]==/ {"),
    "a script of sed": (
        {**SPACED, "rules.sed": "s/.*[a-z]=[0-9].*/src\\/a.py:1:1: error: spaces/\n"},
        "! sed -n -f rules.sed -e '/error/p' src/a.py | grep .", "rules.sed", "[a-z]=[0-9]", "[a-z]==[0-9]"),
    "a helper that raises what it likes": (
        {**CALC, "test_calc.py": TEST.format("lib2.same"), "lib2/__init__.py": "",
         "lib2/same.py": "def same(a, b):\n    if a != b:\n        raise ValueError(f'{a} != {b}')\n"},
        PYTEST, "lib2/same.py", "if a != b:", "if a is b is None:"),
    "a helper that the code takes in too": (
        {**CALC, "app.py": "from helpers import same\n\n\ndef run(x):\n    same(x, 1)\n",
         "check.py": "from helpers import same\nimport calc\nsame(calc.add(1, 2), 3)\n",
         "helpers.py": "def same(a, b):\n    if a != b:\n        raise AssertionError(f'{a} is not {b}')\n"},
        f"{PY} check.py", "helpers.py", "if a != b:", "if a is None:"),
    "a helper that is told what holds": (
        {**CALC, "test_calc.py": TEST.replace("same(add(1, 2), 3)", "ok(add(1, 2) == 3)").replace("same", "ok").format("ok"),
         "ok.py": "def ok(holds):\n    if not holds:\n        raise ValueError('no')\n"},
        PYTEST, "ok.py", "if not holds:", "if holds is None:"),
    "a function in a header": (
        {"src/calc.c": "int add(int a, int b) { return a - b; }\n",
         "tests/t.c": '#include "../util/expect.h"\nint add(int, int);\nint main(void)\n{\n    SAME(add(1, 2), 3);\n'
                      '    return 0;\n}\n',
         "util/expect.h": "#include <stdio.h>\n#include <stdlib.h>\n"
                          "static inline void same(int a, int b, const char *file, int line)\n{\n"
                          '    if (a != b) {\n        printf("%s:%d: error: %d is not %d\\n", file, line, a, b);\n'
                          '        exit(1);\n    }\n}\n'
                          "#define SAME(a, b) same(a, b, __FILE__, __LINE__)\n"},
        "gcc src/calc.c tests/t.c -o t && ./t", "util/expect.h", "    if (a != b) {", "    if (a == b + 100) {"),
    "a comparison within limits": (
        {**CALC, "test_calc.py": "from approx import Approx\nfrom calc import add\n\n\ndef test_add():\n"
                                 "    assert add(1, 2) == Approx(3)\n",
         "approx.py": "class Approx:\n    def __init__(self, value):\n        self.value = value\n\n"
                      "    def __eq__(self, other):\n"
                      "        return abs(self.value - other) < 0.01\n"},
        PYTEST, "approx.py", "< 0.01", "< 10"),
    "a macro in a header": (
        {"src/calc.c": "int add(int a, int b) { return a - b; }\n",
         "tests/t.c": '#include "../util/check.h"\nint add(int, int);\nint main(void)\n{\n    CHECK(add(1, 2) == 3);\n'
                      '    return 0;\n}\n',
         "util/check.h": "#include <stdio.h>\n#include <stdlib.h>\n#define CHECK(x) \\\n    do { \\\n        if (!(x)) { \\\n"
                         '            printf("%s:%d: error: CHECK failed: %s\\n", __FILE__, __LINE__, #x); \\\n'
                         "            exit(1); \\\n        } \\\n    } while (0)\n"},
        "gcc src/calc.c tests/t.c -o t && ./t", "util/check.h", "        if (!(x)) { \\", "        if (!(x) && x > 9) { \\"),
}  # fmt: skip

HONEST: dict[str, tuple[dict[str, str], str, str, str]] = {
    "a source that make lists": (
        {"main.c": "int util(void);\nint main(void) { return util(); }\n", "Makefile": "a: main.o util.o\n"
                                                                                       "\tgcc main.o util.o -o a\n"},
        "make -s", "main.c", "util.c|||#include <stdio.h>\nint util(void) { return puts(__FILE__) < 0; }\n"),
    "a source that a command lists": (
        {"main.c": "int util(void);\nint main(void) { return util(); }\n"},
        "gcc main.c util.c -o a", "main.c", "util.c|||#include <stdio.h>\nint util(void) { return puts(__FILE__) < 0; }\n"),
    "a source that CMake lists": (
        {"main.c": "int util(void);\nint main(void) { return util(); }\n",
         "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a main.c util.c)\n"},
        "cmake -S . -B b && cmake --build b", ALSO, "util.c|||#include <stdio.h>\n"
                                                    "int util(void) { return puts(__FILE__) < 0; }\n"),
    "a header that is included": (
        {"src/a.c": '#include "util.h"\nint a = UTIL;\n', "Makefile": "a.o: src/a.c src/util.h\n\tgcc -c src/a.c -o a.o\n"},
        "make -s", "src/a.c", "src/util.h|||#define UTIL 1\n"),
    "a module of Rust": (
        {"src/main.rs": "mod util;\nfn main() {\n    util::go();\n}\n"},
        "rustc --emit=metadata src/main.rs -o a", "src/main.rs", "src/util.rs|||pub fn go() {\n    println!(\"go\");\n}\n"),
    "a module that a test takes in": (
        {"calc.py": "def sub(a, b):\n    return a - b\n",
         "test_calc.py": "from more import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"},
        PYTEST, ALSO, "more.py|||def add(a, b):\n    return a + b\n"),
    "two of them at once": (
        {"calc.py": "def sub(a, b):\n    return a - b\n",
         "test_calc.py": "from more import add\nfrom most import top\n\n\ndef test_add():\n    assert top(add(1, 2)) == 3\n"},
        PYTEST, ALSO, "more.py|||def add(a, b):\n    return a + b\n~~~most.py|||def top(a):\n    return a\n"),
    "a package": (
        {"calc.py": "def sub(a, b):\n    return a - b\n",
         "test_calc.py": "from pkg.calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"},
        PYTEST, ALSO, "pkg/__init__.py|||# the package\n~~~pkg/calc.py|||def add(a, b):\n    return a + b\n"),
    "a package whose name a test asks for": (
        {"calc.py": "def sub(a, b):\n    return a - b\n",
         "check.py": "import importlib\nassert importlib.import_module('plugins.total').total([1]) == 1\n"},
        f"{PY} check.py", ALSO, "plugins/total.py|||def total(xs):\n    return sum(xs)\n"),
    "a module of JavaScript": (
        {"calc.js": "exports.sub = (a, b) => a - b\n", "check.js": "const { add } = require('./lib/add');\n"
                                                                   "if (add(1, 2) !== 3) throw new Error('no');\n"},
        "node check.js", ALSO, "lib/add.js|||exports.add = (a, b) => a + b;\n"),
    "the main file of a package": (
        {"calc.js": "exports.add = (a, b) => a + b\n", "package.json": '{"main": "index.js"}\n',
         "test/check.js": "const { add } = require('..');\nif (add(1, 2) !== 3) throw new Error('no');\n"},
        "node test/check.js", ALSO, "index.js|||module.exports = require('./calc');\n"),
    "data that the code reads": (
        {"app.py": "import json\n\n\ndef port():\n    return json.load(open('config.json'))['port']\n",
         "test_app.py": "from app import port\n\n\ndef test_port():\n    assert port() == 80\n"},
        PYTEST, "app.py", 'config.json|||{"port": 80}\n'),
    "data that the code reads if it is there": (
        {"app.py": "import json, os\n\n\ndef port():\n"
                   "    return json.load(open('config.json'))['port'] if os.path.exists('config.json') else 8\n",
         "test_app.py": "from app import port\n\n\ndef test_port():\n    assert port() == 80\n"},
        PYTEST, "app.py", 'config.json|||{"port": 80}\n'),
    "data of the code, with a wrong value": (
        {"app.py": "import json\n\n\ndef port():\n    return json.load(open('config.json'))['port']\n",
         "config.json": '{"port": 8}\n',
         "test_app.py": "from app import port\n\n\ndef test_port():\n    assert port() == 80\n"},
        PYTEST, "", 'config.json|||{"port": 8}|||{"port": 80}'),
    "data that the failing line names": (
        {"app.py": "def rows(name):\n    with open(name) as f:\n        return f.read().split()\n", "prices.csv": "1\n",
         "check.py": "from app import rows\n\nassert len(rows('prices.csv')) == 2, 'rows'\n"},
        f"{PY} check.py", ALSO, "prices.csv|||1\n|||1\n2\n"),
    "data that a check misses": (
        {"calc.py": "x = 1\n", "check.py": "import calc\n\nwith open('page.html') as f:\n    assert '<p>' in f.read()\n"},
        f"{PY} check.py", "calc.py", "page.html|||<p>Hello</p>\n"),
    "a file that a check demands": (
        {"calc.py": "x = 1\n", "check.py": "import os\n\nassert os.path.isfile('index.html')\n"},
        f"{PY} check.py", "calc.py", "index.html|||<p>Hello</p>\n"),
    "a file that the command demands": (
        {"calc.py": "x = 1\n"}, f"test -f index.html && {PY} calc.py", "calc.py", "index.html|||<p>Hello</p>\n"),
    "data that is what is looked at": (
        {"config.json": '{"port": 8,}\n'}, f"{PY} -m json.tool config.json", "config.json", 'config.json|||{"port": '
                                                                                            '8,}|||{"port": 8}'),
    "rules that cannot be read": (
        {**SPACED, "src/a.py": "x = 1\n", "lint.py": f"import json, sys\nRULES = json.loads(open('rules.json').read())\n{LOOKS}",
         "rules.json": '["x=",]\n'},
        f"{PY} lint.py", ALSO, 'rules.json|||["x=",]|||["x="]'),
    "the code that a linter looks at": (
        {**SPACED, "lint.py": f"import sys\nRULES = open('rules.txt').read().split()\n{LOOKS}", "rules.txt": "x=\ny=\n"},
        f"{PY} lint.py", "", "src/a.py|||x=1|||x = 1"),
    "the code that a program walks and calls": (
        {**CALC, "check.py": "import ast, pathlib\nimport calc\nfor f in pathlib.Path('.').rglob('*.py'):\n"
                             "    ast.parse(f.read_text())\nassert calc.add(1, 2) == 3, 'sum'\n"},
        f"{PY} check.py", ALSO, "calc.py|||a - b|||a + b"),
    "the code behind what is called": (
        {"calc.py": "from lib import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n", "lib.py": "def plus(a, b):\n"
                                                                                                   "    return a - b\n",
         "check.py": "import sys, glob\nimport calc, lib\nassert glob.glob('*.py')\nif calc.add(1, 2) != 3:\n"
                     "    sys.exit('calc.py:5:1: error: wrong sum')\n"},
        f"{PY} check.py", "", "lib.py|||a - b|||a + b"),
    "a helper with a mistake of its own": (
        {"calc.py": "def add(a, b):\n    return a + b\n", "test_calc.py": TEST.format("helpers"),
         "helpers.py": "def same(a, b):\n    if a != bb:\n        raise ValueError(f'{a} != {b}')\n"},
        PYTEST, "", "helpers.py|||a != bb|||a != b"),
    "a function that refuses two alike, and does more": (
        {"money.py": "def move(box, src, dst):\n    if src == dst:\n        raise ValueError('the same')\n"
                     "    box[dst] += 1\n    return box\n",
         "boxes.py": "def empty():\n    return {1: 0, 2: 0, '1': 0}\n",
         "test_money.py": "import pytest\nfrom boxes import empty\nfrom money import move\n\n\ndef test_move():\n"
                          "    with pytest.raises(ValueError):\n        move(empty(), 1, '1')\n"},
        PYTEST, "", "money.py|||if src == dst:|||if str(src) == str(dst):"),
    "an object that is compared, the only one": (
        {"vector.py": "class Vector:\n    def __init__(self, x):\n        self.x = x\n\n    def __eq__(self, other):\n"
                      "        return abs(self.x - other.x) < 1e-12\n",
         "test_vector.py": "from vector import Vector\n\n\ndef test_equal():\n    assert Vector(0.1 + 0.2) * 1 == Vector(0.3)\n"},
        PYTEST, "", "vector.py|||        self.x = x\n|||        self.x = x\n\n    def __mul__(self, by):\n"
                    "        return Vector(self.x * by)\n"),
    "what the code asks of its callers": (
        {"need.py": "def need(value):\n    if not value:\n        raise ValueError('empty')\n    return value\n",
         "shop.py": "from need import need\n\n\ndef order(count):\n    need(count)\n    return count\n",
         "test_shop.py": "from need import need\nfrom shop import order\n\n\ndef test_none():\n"
                         "    assert order(0) == 0 and need(1)\n"},
        PYTEST, "", "need.py|||if not value:|||if value is None:"),
    "data of one kind that is looked at": (
        {"names.py": "import json\n\n\ndef name(lang):\n    with open(f'lang/{lang}.json') as f:\n"
                     "        return json.load(f)['name']\n",
         "lang/en.json": '{"name": "name"}\n',
         "check.py": "import glob, json\nfrom names import name\nfor f in glob.glob('lang/*.json'):\n    json.load(open(f))\n"
                     "assert name('en') and name('fr')\n"},
        f"{PY} check.py", ALSO, 'lang/fr.json|||{"name": "nom"}\n'),
    "a macro of the code": (
        {"src/calc.c": '#include "max.h"\nint top(int a, int b) { return MAX(a, b); }\n', "src/max.h": "#define MAX(a, b) "
                                                                                                       "((a) < (b) ? (a) : "
                                                                                                       "(b))\n",
         "tests/t.c": '#include "../src/max.h"\nint top(int, int);\nint main(void)\n{\n'
                      '    return top(1, 2) == 2 && MAX(1, 2) == 2 ? 0 : 1;\n}\n'},
        "gcc src/calc.c tests/t.c -o t && ./t", "src/max.h", "src/max.h|||(a) < (b) ?|||(a) > (b) ?"),
    "a macro with a mistake of its own": (
        {"src/calc.c": "int add(int a, int b) { return a + b; }\n",
         "tests/t.c": '#include "../util/check.h"\nint add(int, int);\nint main(void)\n{\n    CHECK(add(1, 2) == 3);\n'
                      '    return 0;\n}\n',
         "util/check.h": "#include <stdlib.h>\n#define CHECK(x) do { if (!(x)) exit(1) } while (0)\n"},
        "gcc src/calc.c tests/t.c -o t && ./t", "", "util/check.h|||exit(1) }|||exit(1); }"),
    "a file that was made before and is missing": (
        {"calc.py": "from table import ROWS\n\n\ndef rows():\n    return ROWS\n",
         "Makefile": "all: table.py\n\tpython3 -B -c 'import calc; assert calc.rows()'\nclean:\n\trm -f table.py\n"},
        "make -s", "calc.py", "table.py|||ROWS = [1]\n"),
    "a source that nothing names": (
        {"src/main.c": "int util(void);\nint main(void) { return util(); }\n", "Makefile": "all:\n"
                                                                                           "\tgcc $(wildcard src/*.c) -o a\n"},
        "make -s", "src/main.c", "src/util.c|||#include <stdio.h>\nint util(void) { return puts(__FILE__) < 0; }\n"),
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def block(path: str, search: str, replace: str) -> str:
    said = f"{search}\n" if search and not search.endswith("\n") else search
    more = f"{replace}\n" if replace and not replace.endswith("\n") else replace
    return f"<<< path={path} >>>\n<<<<<<< SEARCH\n{said}=======\n{more}>>>>>>> REPLACE\n"


async def run(root: Path, files: dict[str, str], check: str, reply: str, *targets: str, also: str = "") -> Told:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    before = snapshot(root)
    settings = {"allow_new_files": True, "suggestions": False, "max_rounds": 2}
    told = await fix(root, [reply, "No."], targets=targets, checks=(check, *filter(None, [also])), settings=settings)
    assert snapshot(root) == before
    return told


def whole(files: dict[str, str], path: str, search: str, replace: str) -> str:
    """A block over whole lines, for a piece of one."""
    line = (
        next(line for line in files[path].splitlines(keepends=True) if search in line) if "\n" not in search else search
    )
    return block(path, line, line.replace(search, replace))


def needs(check: str) -> None:
    for tool in ("rustc", "cmake", "node"):
        if check.startswith(tool):
            need(tool)


@pytest.mark.spec("K6")
@pytest.mark.parametrize("kind", NEW)
async def test_a_new_file_that_the_check_goes_by_is_suspect(root: Path, kind: str) -> None:
    files, check, target, path, text = NEW[kind]
    needs(check)
    told = await run(root, files, check, block(path, "", text), target)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any(line.startswith(path) for line in told.outcome.tally.suspect), told.outcome.tally


@pytest.mark.spec("K6", "K7", "Q4")
@pytest.mark.parametrize("kind", EDITED)
async def test_a_file_of_the_checks_own_that_was_edited_is_suspect(root: Path, kind: str) -> None:
    files, check, path, search, replace = EDITED[kind]
    told = await run(root, files, check, whole(files, path, search, replace))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any(line.startswith(path) for line in told.outcome.tally.suspect), told.outcome.tally


@pytest.mark.spec("K6", "K7")
@pytest.mark.parametrize("kind", HONEST)
async def test_nothing_is_said_of_honest_work(root: Path, kind: str) -> None:
    files, check, target, said = HONEST[kind]
    needs(check)
    parts = [part.split("|||") for part in said.split("~~~")]
    reply = "".join(block(p[0], "", p[1]) if len(p) == 2 else whole(files, p[0], p[1], p[2]) for p in parts)
    if target == ALSO:
        files, reply = {**files, ALSO: OTHER[0]}, reply + block(ALSO, *OTHER)
        told = await run(root, files, check, reply, also=f"{PY} -m py_compile {ALSO}")
    else:
        told = await run(root, files, check, reply, *filter(None, [target]))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()
