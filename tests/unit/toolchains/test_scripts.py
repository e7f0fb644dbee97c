"""PHP, Ruby, Perl, Lua and shells beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity

FILES = {
    "b.php": "<?php\nfunction g() { return $y; }\nfunction f() { throw new X('bad'); }\ng();\nf(1);\n",
    "b.rb": "def f(x)\n  unused = 1\n  x.nope\nend\nf(nil)\n",
    "c.rb": 'require "nothere"\n',
    "a.rb": "def f\n  puts 1 +\nend\nfoo(\n",
    "a.pl": 'use strict; use warnings;\nmy $x = 1\nmy $y = $z;\nprint "a;\n',
    "b.lua": "local function f(t)\n  return t.x.y\nend\nlocal ok = f({})\n",
    "a.sh": 'if true; then\n\techo "é" $2\nfi\nnosuchcmd foo\n',
}


@pytest.mark.spec("D2")
def test_php_is_told_once_and_keeps_the_stack() -> None:
    log = """\
PHP Parse error:  syntax error, unexpected token "}" in b.php on line 2
Parse error: syntax error, unexpected token "}" in b.php on line 2
Errors parsing b.php
PHP Warning:  Undefined variable $y in /w/b.php on line 2
PHP Fatal error:  Uncaught X: bad in /w/b.php:3
Stack trace:
#0 /w/b.php(5): f()
#1 {main}
  thrown in /w/b.php on line 3
"""
    parse, warning, death = diagnose(log, FILES)
    assert (parse.phase, parse.range.start.line) == (Phase.PARSE, 1)
    assert warning.severity is Severity.WARNING
    assert (death.message, death.range.start.line, death.phase) == ("Uncaught X: bad", 2, Phase.TEST)
    assert [(r.range.start.line, r.message) for r in death.related] == [(4, "in f()")]


@pytest.mark.spec("D3")
def test_ruby_exceptions_warnings_and_both_parsers() -> None:
    log = """\
b.rb:3:in `f': undefined method `nope' for nil:NilClass (NoMethodError)

  x.nope
   ^^^^^
\tfrom b.rb:5:in `<main>'
"""
    (one,) = diagnose(log, FILES)
    assert (spot(one), one.code) == (("b.rb", 2, 3, 2, 8), "NoMethodError")
    assert [r.range.start.line for r in one.related] == [4]
    internal = "<internal:/usr/lib/ruby/x.rb>:85:in `require': cannot load such file -- nothere (LoadError)\n"
    (one,) = diagnose(internal + "\tfrom c.rb:1:in `<main>'\n", FILES)
    assert (one.file, one.phase) == ("c.rb", Phase.TYPE)
    (one,) = diagnose("b.rb:2: warning: assigned but unused variable - unused\nSyntax OK\n", FILES, exit_code=0)
    assert (one.severity, one.range.start.line) == (Severity.WARNING, 1)
    prism = """\
a.rb:3: syntax errors found (SyntaxError)
  1 | def f
  2 |   puts 1 +
> 3 | end
    | ^~~ unexpected 'end', ignoring it
> 4 | foo(
    |     ^ unexpected end-of-input; expected a `)` to close the arguments
"""
    first, second = diagnose(prism, FILES)
    assert spot(first) == ("a.rb", 2, 0, 2, 3)
    assert spot(second)[:3] == ("a.rb", 3, 4)
    nested = "c.rb:1:in `require_relative': /w/a.rb:3: syntax error, unexpected `end' (SyntaxError)\n"
    (one,) = diagnose(nested, FILES)
    assert (spot(one), one.phase) == (("a.rb", 2, 0, 2, 3), Phase.PARSE)


@pytest.mark.spec("D2")
def test_perl_says_by_its_exit_code_what_was_a_warning() -> None:
    log = """\
syntax error at a.pl line 3, near "my "
Global symbol "$y" requires explicit package name (did you forget to declare "my $y"?) at a.pl line 3.
Can't find string terminator '"' anywhere before EOF at a.pl line 4.
BEGIN not safe after errors--compilation aborted at a.pl line 4.
a.pl had compilation errors.
"""
    found = diagnose(log, FILES)
    assert [(one.range.start.line, one.phase) for one in found] == [(2, Phase.PARSE), (2, Phase.TYPE), (3, Phase.PARSE)]
    assert spot(found[1]) == ("a.pl", 2, 3, 2, 5), "the variable that the message quotes"
    useless = 'Useless use of a constant ("a") in void context at a.pl line 1.\na.pl syntax OK\n'
    assert [one.severity for one in diagnose(useless, FILES, exit_code=0)] == [Severity.WARNING]
    assert [one.severity for one in diagnose(useless, FILES, exit_code=255) if one.file] == [Severity.WARNING]
    wrapped = 'syntax error at a.pl line 3, near "my $x = 1\n\nmy "\nrest\n'
    assert diagnose(wrapped, FILES)[0].message == 'syntax error, near "my $x = 1\n\nmy "'


@pytest.mark.spec("D2")
def test_lua_runs_or_does_not_parse() -> None:
    (one,) = diagnose("luac5.4: b.lua:3: ')' expected (to close '(' at line 2) near 'end'\n", FILES)
    assert (spot(one), one.phase) == (("b.lua", 2, 0, 2, 3), Phase.PARSE)
    log = "lua5.4: b.lua:2: attempt to index a nil value (field 'x')\nstack traceback:\n\tb.lua:2: in local 'f'\n"
    (one,) = diagnose(log + "\tb.lua:4: in main chunk\n\t[C]: in ?\n", FILES)
    assert (one.phase, [r.range.start.line for r in one.related]) == (Phase.TEST, [3])


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "place", "phase"),
    [
        ("a.sh: line 3: syntax error near unexpected token `fi'\na.sh: line 3: `fi'", (2, 0, 2), Phase.PARSE),
        ('a.sh: 3: Syntax error: "fi" unexpected (expecting "done")', (2, 0, 2), Phase.PARSE),
        ("a.sh:3: parse error near `fi'", (2, 0, 2), Phase.PARSE),
        ("a.sh: line 4: nosuchcmd: command not found", (3, 0, 13), Phase.TEST),
        ("a.sh: 4: nosuchcmd: not found", (3, 0, 13), Phase.TEST),
    ],
)
def test_shells(line: str, place: tuple[int, int, int], phase: Phase) -> None:
    (one,) = diagnose(line + "\n", FILES)
    assert (one.range.start.line, one.range.start.character, one.range.end.character) == place
    assert one.phase is phase
    assert diagnose("a.sh: line 4: kill: (123) - No such process\n", FILES, exit_code=0) == []


@pytest.mark.spec("D3")
def test_shellcheck_in_all_forms() -> None:
    place = {"file": "a.sh", "line": 2, "endLine": 2, "level": "error", "code": 2086, "message": "Double quote."}
    quotes = [{"line": 2, "endLine": 2, "column": n, "endColumn": n, "replacement": '"'} for n in (11, 13)]
    comment = {**place, "column": 11, "endColumn": 13, "fix": {"replacements": quotes}}
    (one,) = diagnose(json.dumps({"comments": [comment]}) + "\n", {"a.sh": 'x\n\techo "é" $2\n'})
    assert (spot(one), one.code, one.severity) == (("a.sh", 1, 10, 1, 12), "SC2086", Severity.ERROR)
    assert [(e.range.start.character, e.range.end.character) for e in one.suggestions[0].edits] == [(10, 10), (12, 12)]
    old = {**place, "column": 18, "endColumn": 20, "fix": None}
    (one,) = diagnose(json.dumps([old]) + "\n", {"a.sh": 'x\n\techo "é" $2\n'})
    assert spot(one) == ("a.sh", 1, 10, 1, 12), "the older form expands tabs"
    (one,) = diagnose("a.sh:2:11: note: Double quote. [SC2086]\n", FILES, exit_code=0)
    assert (spot(one)[1:3], one.severity) == ((1, 10), Severity.INFORMATION)
    people = "\nIn a.sh line 4:\nnosuchcmd foo\n^-------^ SC1000 (error): Bad.\n          ^-- SC2000: Worse.\n\n"
    first, second = diagnose(people, FILES)
    assert (spot(first), first.code) == (("a.sh", 3, 0, 3, 9), "SC1000")
    assert (spot(second), second.severity) == (("a.sh", 3, 10, 3, 13), Severity.WARNING)
