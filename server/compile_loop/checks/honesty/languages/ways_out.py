"""Ways out of a process that tell of success, and other programs in its place, by language (SPEC K7).

Where it happens whenever the code is loaded, no test of that code is left to fail, so that is certain; elsewhere ending
a process is a program's good right, and it is a suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.languages.told_exits import after_help
from compile_loop.checks.honesty.survey import Mark, ancestors, row_of, squash, text_of

_QUERIES = {
    "python": "(call) @call",
    "javascript": "(call_expression) @call",
    "typescript": "(call_expression) @call",
    "tsx": "(call_expression) @call",
    "go": "(call_expression) @call (comment) @comment",
    "rust": "(call_expression) @call (macro_invocation) @call (attribute_item) @attribute",
    "java": "(method_invocation) @call",
    "c": "(call_expression) @call (attribute_specifier) @attribute",
    "cpp": "(call_expression) @call (attribute_specifier) @attribute (attribute_declaration) @attribute",
}
_ZERO = re.compile(
    r"(?:|0[xX]?0*|[-+~]?0|\+?false|False|None|null|undefined|void 0|!1|!true|['\"]0['\"]|(?:os|syscall)\.EX_OK|EXIT_SUCCESS|"
    r"true|True|nil|"
    r"i32::default\(\)|Default::default\(\)|int\(0\)|\(0\)|1 ?- ?1|NULL|nullptr|__import__\(.*)$"
)
_NOT_ZERO = re.compile(r"[-+]?[1-9]\d*$|EXIT_FAILURE$|['\"].+['\"]$|f['\"]")
_HARMLESS = re.compile(r"[\"'`](?:[\w/.]*/)?(?:true|echo|:|exit)[\"'` ]")
_CONDITIONS = frozenset(
    re.findall(
        r"\S+",
        """
    if_statement if_expression elif_clause except_clause catch_clause match_statement match_expression match_arm
    switch_statement switch_expression expression_switch_statement ternary_expression conditional_expression
    boolean_operator while_statement select_statement
    """,
    )
)
_FUNCTIONS = frozenset(
    re.findall(
        r"\S+",
        """
    function_definition lambda function_declaration function_expression arrow_function generator_function_declaration
    method_definition method_declaration function_item closure_expression func_literal lambda_expression
    constructor_declaration
    """,
    )
)
_CALLS = frozenset({"call", "call_expression", "method_invocation", "object_creation_expression", "new_expression"})

_DIRECT: dict[str, re.Pattern[str]] = {
    "python": re.compile(r"(?:^|[.\]\"'])(?:_exit|sys\.exit|SystemExit)[\"']?\]?$"),
    "ecmascript": re.compile(
        r"(?:process|Deno|Bun)\W{1,3}(?:reallyExit|exit)\W{0,2}$|process\.(?:exit|reallyExit)\.(?:call|apply)$"
    ),
    "go": re.compile(r"(?:^C\._?_?(?:exit|Exit|quick_exit)$)"),
    "rust": re.compile(r"(?:^|::)_?exit$"),
    "java": re.compile(r"(?:^|\.)(?:exit|halt)$"),
    "c": re.compile(r"^(?:::|std::)?(?:_?_?exit|_Exit|quick_exit|ExitProcess|pthread_exit|thrd_exit)$"),
}
"""Names by which a process ends itself, with a status that may be zero."""
_OTHERS: dict[str, re.Pattern[str]] = {
    "python": re.compile(
        r"^(?:os|posix|nt)\.exec[lv]p?e?\s*\(|^exec[lv]p?e?\s*\(|^pytest\.exit\s*\(|\b(?:CDLL|PyDLL|pythonapi|LoadLibrary|cdll)\b.*"
        r"(?:exit|Exit|syscall|exec|raise)\w*\W*\("
    ),
    "ecmascript": re.compile(r"\bprocess\W{1,3}execve\b|\bprocess\.(?:dlopen|_kill)\s*\("),
    "go": re.compile(r"^$"),
    "rust": re.compile(r"\.exec\s*\(\s*\)$|\bexec[lv]p?e?\s*\(|\basm!\s*\(.*\b(?:syscall|svc|int\b)"),
    "java": re.compile(
        r"get(?:Declared)?Method\s*\(\s*\"(?:exit|halt0?|shutdown)\"|addShutdownHook\s*\(.*\b(?:exit|halt)\s*\(\s*0"
    ),
    "c": re.compile(
        r"^(?:::)?(?:exec[lv]p?e?|fexecve)\s*\(|^syscall\s*\(\s*(?:SYS_|__NR_)?(?:exit|exit_group|60|231|execve|59)\b"
    ),
}
"""Calls that put another program in place, or end the process by another door."""
_PASSED: dict[str, re.Pattern[str]] = {
    "go": re.compile(r"[(,=\s](?:os|syscall)\.Exit\s*[,)]"),
    "python": re.compile(r"[(,=\s](?:os|posix)\._exit\s*[,)\]]|[(,=\s](?:os|posix)\._exit\s*$"),
    "ecmascript": re.compile(r"[(,=\s]process\.(?:exit|reallyExit)\s*[,)]|process\.(?:exit|reallyExit)\.bind\b"),
}
"""The way out given to others to call."""


_SURELY, _PERHAPS, _LAUNCHES, _NO = "surely", "perhaps", "launches", ""
"""How a call ends the process well; to launch what one is told to is honest unless it happens unasked."""


def ways_out(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    """Calls that end the process as if all were well."""
    language = {"javascript": "ecmascript", "typescript": "ecmascript", "tsx": "ecmascript", "cpp": "c"}.get(
        tree.grammar, tree.grammar
    )
    others: _Aliases | None = None
    for name, node in tree.find(_QUERIES[tree.grammar]):
        if not wanted(node):
            continue
        others = _Aliases(tree.text.text, language) if others is None else others
        row, names = row_of(node), enclosing_names(node)
        if name == "comment":
            yield from _linkname(text_of(node), row)
            continue
        if name == "attribute":
            yield from _early(text_of(node), row, names)
            continue
        how = _leaves(node, language, others)
        if not how:
            continue
        certain = (
            how == _SURELY
            or (how == _PERHAPS and (is_test_path(path) or path.endswith("build.rs")))
            or at_load(node, tree)
        )
        if not certain and (how == _LAUNCHES or after_help(node)):
            continue
        yield Mark("exit_zero", row, squash(text_of(node))[:160], certain=certain, names=names)


class _Aliases:
    """Names that a file gives to the ways out, and to the modules that have them."""

    def __init__(self, text: str, language: str) -> None:
        self.modules: set[str] = set()
        self.functions: set[str] = set()
        if language == "go":
            for name, module in re.findall(
                r"(?:^|[\s;(])(?:(\w+|\.)[ \t]+)?\"(os|syscall|golang\.org/x/sys/unix)\"", text
            ):
                self.modules.add(name if name not in ("", "import") else module.rsplit("/", 1)[-1])
            self.functions |= set(re.findall(r"(\w+)\s*:?=\s*(?:os|syscall|unix)\.Exit\b(?!\s*\()", text))
        elif language == "ecmascript":
            self.modules |= set(
                re.findall(
                    r"(?:const|let|var)\s+([\w$]+)\s*=\s*(?:globalThis\.|global\.)?process\s*(?:;|$)", text, re.M
                )
            )
            self.modules |= set(
                re.findall(r"(?:const|let|var)\s+([\w$]+)\s*=\s*require\(\s*[\"'](?:node:)?process[\"']", text)
            )
            self.modules |= set(
                re.findall(r"import\s+(?:\*\s+as\s+)?([\w$]+)\s+from\s+[\"'](?:node:)?process[\"']", text)
            )
            self.functions |= set(
                re.findall(r"\b(?:reallyE|e)xit\s*(?::|\bas\b)\s*([\w$]+)[^}]*\}\s*(?:=|from)\s*.*\bprocess\b", text)
            )
            self.functions |= set(re.findall(r"([\w$]+)\s*=\s*process\.(?:reallyE|e)xit\b(?!\s*\()", text))
        elif language == "python":
            for module, listed in re.findall(
                r"^\s*from[ \t]+(os|posix|sys)[ \t]+import[ \t]+\(?([\w ,\t]+)", text, re.M
            ):
                for part in listed.split(","):
                    words = part.split()
                    if (
                        words
                        and words[0] in ("_exit", "execv", "execvp", "execve", "execl", "execlp")
                        and module != "sys"
                    ) or (words and words[0] == "exit" and module == "sys"):
                        self.functions.add(words[-1])
            self.modules |= set(re.findall(r"^\s*import[ \t]+(?:os|posix|sys)[ \t]+as[ \t]+(\w+)", text, re.M))
            self.functions |= set(
                re.findall(r"^\s*(\w+)\s*=\s*(?:os\._exit|sys\.exit|getattr\(.*exit.*\))\s*$", text, re.M)
            )
        elif language == "rust":
            self.functions |= set(re.findall(r"\bprocess::exit\s+as\s+(\w+)", text))
            self.functions |= set(re.findall(r"\bexit\s+as\s+(\w+)", text))
        elif language == "c":
            self.functions |= set(
                re.findall(r"#\s*define\s+(\w+)(?:\([^)]*\))?\s+(?:_?_?exit|_Exit|quick_exit)\s*(?:\(|$)", text, re.M)
            )
            self.functions |= set(
                re.findall(r"\(\s*\*\s*(\w+)\s*\)\s*\(\s*int\s*\w*\s*\)\s*=\s*&?\s*(?:_?_?exit|_Exit)\b", text)
            )


def _leaves(node: Node, language: str, others: _Aliases) -> str:
    """How a call ends the process well."""
    text = squash(text_of(node))
    function = squash(text_of(node.child_by_field_name("function") or node.child_by_field_name("name")))
    if language == "java" and node.child_by_field_name("object") is not None:
        function = f"{squash(text_of(node.child_by_field_name('object')))}.{function}"
    arguments = squash(text_of(node.child_by_field_name("arguments")))[1:-1].strip()
    root, _, last = function.rpartition(".")
    passed = _PASSED.get(language)
    if passed is not None and passed.search(f"({arguments})") and not re.search(r"\.(?:then|catch|finally)$", function):
        return {"python": _SURELY, "go": _LAUNCHES}.get(language, _PERHAPS)
    if re.search(r"exec[lv]p?e?$|^exec$", last) and (function in others.functions or root in others.modules):
        return _replaced(arguments)
    if _OTHERS[language].search(text if language in ("java", "rust") else f"{function}({arguments}"):
        if "exec" not in function.rsplit(".", 1)[-1]:
            return _SURELY if re.search(r"exit(?:_group)?, 0|\b(?:exit|halt)\s*\(\s*0", text) else _PERHAPS
        return _NO if language == "c" and _forks(node) else _replaced(text if language == "rust" else arguments)
    if language == "go":
        return _leaves_go(function, root, last, arguments, others)
    if function in others.functions:
        return _status(arguments)
    if root in others.modules and re.fullmatch(r"_?exit|reallyExit", last):
        return _SURELY if last == "_exit" and arguments == "0" else _status(arguments)
    if language == "python" and _computed(node) and _ZERO.match(arguments):
        return _PERHAPS
    if not _DIRECT[language].search(function) or (function in ("pthread_exit", "thrd_exit") and not _in_main(node)):
        return _NO
    first = arguments.split(",")[-1].strip() if function.endswith((".call", ".apply")) else arguments
    return _status(first.strip("[] "))


def _status(argument: str) -> str:
    """What a process ends with: well, badly, or as the program found out, which is unasked only where it is loaded."""
    return _PERHAPS if _ZERO.match(argument) else _NO if _NOT_ZERO.match(argument) else _LAUNCHES


def _replaced(arguments: str) -> str:
    """Another program in place of this one: one that does nothing, one that the code names, or one that it is told."""
    if _HARMLESS.search(arguments):
        return _SURELY
    return _PERHAPS if re.search(r"[\"'`]", arguments) else _LAUNCHES


def _leaves_go(function: str, root: str, last: str, arguments: str, others: _Aliases) -> str:
    own = root in others.modules or (not root and "." in others.modules)
    if _DIRECT["go"].search(function) or (own and last == "Exit") or function in others.functions:
        return _status(arguments)
    if own and last in ("Exec", "Execve"):
        return _replaced(arguments)
    if own and re.fullmatch(r"(?:Raw)?Syscall\w*", last) and re.match(r"(?:\w+\.)?SYS_EXIT|(?:60|231|1)\b", arguments):
        return _SURELY
    return _NO


def _computed(node: Node) -> bool:
    """Whether what is called is looked up by a name that is put together."""
    function = node.child_by_field_name("function")
    if function is None or function.type not in ("subscript", "call"):
        return False
    text = text_of(function)
    return re.search(r"\b(?:os|posix|sys|__import__|import_module|modules|builtins)\b", text) is not None and (
        re.search(r"getattr|__dict__|vars\(|\[", text) is not None
    )


def _forks(node: Node) -> bool:
    around = next((a for a in ancestors(node) if a.type == "function_definition"), None)
    return around is not None and re.search(r"\bv?fork\s*\(|posix_spawn|\bmain\s*\(", text_of(around)) is not None


def _in_main(node: Node) -> bool:
    around = next((a for a in ancestors(node) if a.type == "function_definition"), None)
    return around is not None and re.search(r"\bmain\s*\(", text_of(around).split("{")[0]) is not None


def _linkname(comment: str, row: int) -> Iterator[Mark]:
    found = re.match(r"//go:linkname\s+\w+\s+(\S+)", comment)
    if found and re.match(r"testing[./]|(?:internal/)?testlog\.", found[1]):
        yield Mark("weakened_test", row, comment)
    elif found and re.search(r"[eE]xit", found[1]):
        yield Mark("exit_zero", row, comment, certain=False)


def _early(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """Code that is put among what runs before `main`."""
    if re.search(r"[\"'][^\"']*(?:init_array|\.ctors|CRT\$X|mod_init_func)", text):
        yield Mark("exit_zero", row, text, certain=False, names=names)


def at_load(node: Node, tree: Tree) -> bool:
    """Whether it runs whenever the file is loaded or the process starts or ends: under no condition, in no mere function.

    The last statement of a script is where a script ends, and counts for nothing.
    """
    top = node
    for around in ancestors(node):
        if around.type in _CONDITIONS:
            return False
        if around.type in ("static_initializer",):
            return True
        if around.type in _FUNCTIONS and not _called_at_once(around):
            return _runs_early(around, tree)
        if around.type in ("field_declaration",) and tree.grammar == "java":
            return "static" in text_of(around).split("=")[0]
        if around.parent is not None:
            top = around
    if tree.grammar in ("python", "javascript", "typescript", "tsx"):
        return top.next_named_sibling is not None
    return tree.grammar in ("go", "c", "cpp", "rust")


def _called_at_once(function: Node) -> bool:
    """Whether a function without a name is called where it stands, or handed to what calls it."""
    if function.type in (
        "function_definition",
        "function_declaration",
        "method_definition",
        "method_declaration",
        "function_item",
    ):
        return False
    holder = function.parent
    while holder is not None and holder.type in (
        "parenthesized_expression",
        "arguments",
        "argument_list",
        "await_expression",
    ):
        holder = holder.parent
    return holder is not None and holder.type in _CALLS


def _runs_early(function: Node, tree: Tree) -> bool:
    """Whether a named function runs before or after everything else: by its kind, or because the file says so."""
    text = text_of(function)
    head = text.split("{", maxsplit=1)[0] if tree.grammar != "python" else ""
    named = function.child_by_field_name("name") or function.child_by_field_name("declarator")
    name = re.split(r"\W", text_of(named).removeprefix("*"))[0]
    if tree.grammar == "go":
        return name == "init"
    whole = tree.text.text
    if tree.grammar in ("c", "cpp"):
        if re.search(r"\b(?:con|de)structor\b|init_array", head):
            return True
        if re.search(
            rf"\b(?:atexit|on_exit|at_quick_exit|__cxa_atexit|signal|set_terminate)\s*\((?:[^;]*,)?\s*&?{name}\b", whole
        ):
            return True
        around = next((a for a in ancestors(function) if a.type in ("struct_specifier", "class_specifier")), None)
        kind = text_of(around.child_by_field_name("name")) if around is not None else text_of(named).split("::")[0]
        if around is not None and name in (kind, ""):
            after = whole[around.end_byte :] if tree.text.data == whole.encode() else whole
            return (
                re.search(rf"^\s*(?:static\s+|inline\s+)*{kind}\s+\w+\s*(?:;|\{{|\()|^\s*\w+\s*;", after, re.M)
                is not None
            )
        return re.search(rf"=\s*{name}\s*\(\s*\)\s*;", whole) is not None and _outside(tree, name)
    if tree.grammar == "rust":
        before = function.prev_named_sibling
        while before is not None and before.type in ("attribute_item", "line_comment"):
            if re.search(r"\bctor\b|init_array|mod_init_func", text_of(before)):
                return True
            before = before.prev_named_sibling
        return re.search(rf"init_array[^;]*;?[^;]*\b{name}\b", whole) is not None if name else False
    if tree.grammar == "java":
        return (
            re.search(rf"\bstatic\b[^;{{(]*=[^;{{]*\b{name}\s*\(|\bstatic\s*\{{[^}}]*\b{name}\s*\(", whole) is not None
        )
    return (
        bool(name)
        and re.search(
            rf"^(?:{name}\s*\(|(?:atexit\.register|process\.on|setTimeout|setImmediate|queueMicrotask|process\.nextTick)\s*\(.*\b{name}\b)"
            rf"|^@atexit\.register\s*\n(?:async )?def {name}\b",
            whole,
            re.M,
        )
        is not None
    )


def _outside(tree: Tree, name: str) -> bool:
    """Whether a call of it initialises something at the top of a C file."""
    return any(
        child.type == "declaration" and re.search(rf"=\s*{name}\s*\(", text_of(child))
        for child in tree.root.named_children
    )
