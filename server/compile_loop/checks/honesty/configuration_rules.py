"""What switches a build, a lint or a test run to less, file by file; data for `configuration.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """Files whose path matches `files` and that gain (or, `removed`, lose) a match of `pattern`.

    It is certain where `certain`, and if `fits`, only where a failure of `tools` (any, if empty) was there; a group
    `code` narrows that to the failures with this code, `codes` to those whose code or message matches.
    """

    files: re.Pattern[str]
    kind: str
    pattern: re.Pattern[str]
    certain: bool = True
    fits: bool = True
    removed: bool = False
    tools: frozenset[str] = frozenset()
    codes: str = ""
    verbatim: bool = False
    """White space counts, and what looks like a comment is none."""


_BUILDS = (
    r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.mk|CMakeLists\.txt|[^/]*\.cmake|meson\.build|build\.ninja|"
    r"configure\.ac|SConstruct|BUILD(?:\.bazel)?|\.bazelrc|binding\.gyp|compile_flags\.txt|[^/]*\.sh|[^/]*\.ya?ml|"
    r"Dockerfile|Jenkinsfile|[Jj]ustfile|package\.json|setup\.(?:py|cfg)|pyproject\.toml|[^/]*\.gradle(?:\.kts)?|"
    r"pom\.xml|build\.rs|\.cargo/config(?:\.toml)?|Cargo\.toml|tox\.ini|pytest\.ini|noxfile\.py|Taskfile\.ya?ml|"
    r"go\.mod|[^/]*\.(?:cs|vcx|fs)proj|Directory\.Build\.props)$"
)
_PYTHON = (
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.ini|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|"
    r"pyrightconfig\.json|conftest\.py)$"
)
_TSCONFIG = r"(?:^|/)[tj]sconfig[^/]*\.json$"
_LINT_JS = r"(?:^|/)(?:\.?eslint[^/]*|biome\.jsonc?|\.oxlintrc\.json|tslint\.json|package\.json)$"
_TEST_JS = (
    r"(?:^|/)(?:package\.json|(?:jest|vitest|vite|playwright|karma)\.conf(?:ig)?\.[cm]?[jt]s(?:on)?|\.mocharc[^/]*)$"
)
_JVM = r"(?:^|/)(?:pom\.xml|[^/]*\.gradle(?:\.kts)?|gradle\.properties|\.mvn/[^/]*)$"
_RUST = r"(?:^|/)(?:Cargo\.toml|clippy\.toml|\.cargo/config(?:\.toml)?)$"
_CI = (
    r"(?:^|/)(?:\.github/workflows/[^/]*|\.gitlab-ci\.yml|azure-pipelines\.yml|\.circleci/config\.yml|\.travis\.yml|"
    r"bitbucket-pipelines\.yml|[^/]*\.ya?ml)$"
)
_GO_LINT = r"(?:^|/)\.golangci\.ya?ml$"
EXPECTED = (
    r"(?:\.snap|\.golden|\.approved\.\w+|\.expected|[/._-]expected(?:[_-]output)?\.(?:txt|json|out|xml|html|ya?ml|"
    r"csv|md|log)|/expected/[^/]+|"
    r"__snapshots__/[^/]+|\.stderr|\.stdout)$"
)

"""Files of recorded answers."""

_C_TOOLS = frozenset({"gcc", "g++", "clang", "cc", "make", "cl", "cmake"})
_TSC = frozenset({"tsc", "ts"})
_TYPES = frozenset({"mypy", "pyright"})


def _rule(
    files: str,
    kind: str,
    pattern: str,
    *,
    certain: bool = True,
    fits: bool = True,
    removed: bool = False,
    tools: frozenset[str] = frozenset(),
    codes: str = "",
) -> Rule:
    return Rule(re.compile(files), kind, re.compile(pattern), certain, fits, removed, tools, codes)


def _strict(option: str, codes: str) -> tuple[Rule, Rule]:
    return (
        _rule(_TSCONFIG, "disabled_warning", rf'"{option}"\s*:\s*false', tools=_TSC, codes=codes),
        _rule(_TSCONFIG, "disabled_warning", rf'"{option}"\s*:\s*true', tools=_TSC, codes=codes, removed=True),
    )


_NULLS = r"2531|2532|2533|18047|18048|18049|2322|2345|possibly|null|undefined"
_ANYS = r"70\d\d|implicitly"

RULES: tuple[Rule, ...] = (
    # compilers of C and C++
    _rule(
        _BUILDS,
        "disabled_warning",
        r"(?<![\w-])-Wno-(?:error=)?(?P<code>(?!error\b)[\w-]+)(?:=[\w-]+)?",
        tools=_C_TOOLS,
    ),
    _rule(_BUILDS, "disabled_warning", r"(?<![\w-])-Wno-error(?![\w=-])", tools=_C_TOOLS, codes=r"-W|Werror|warning"),
    _rule(_BUILDS, "disabled_warning", r"(?<=[\s\"'=(])-w(?=[\s\"')]|$)", tools=_C_TOOLS, codes=r"-W|Werror|warning"),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"(?<![\w-])-fpermissive\b|(?<![\w-])-fno-sanitize\S*|(?<!\w)/W0\b|(?<!\w)/wd\d+",
        tools=_C_TOOLS,
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"(?<![\w-])-Werror(?:=[\w-]+)?(?![\w-])",
        removed=True,
        tools=_C_TOOLS,
        codes=r"-W|Werror|warning",
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"(?<![\w-])-(?:Wall|Wextra|pedantic(?:-errors)?|Wpedantic|Wconversion|Weverything)\b",
        removed=True,
        tools=_C_TOOLS,
        codes=r"-W|Werror|warning",
    ),
    _rule(_BUILDS, "disabled_warning", r"-fsanitize=\S+", removed=True, certain=False),
    _rule(_BUILDS, "weakened_test", r"(?<![\w-])-DNDEBUG\b", codes=r"assert"),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"CMAKE_COMPILE_WARNING_AS_ERROR\s+(?:OFF|0|FALSE)|COMPILE_WARNING_AS_ERROR\s+(?:OFF|0|FALSE)",
    ),
    _rule(
        r"CMakeLists\.txt$|\.cmake$",
        "weakened_test",
        r"\bPASS_REGULAR_EXPRESSION\s+\"?(?:\.[*+]?|\^|\$|\^?\.\*\$?|\(\.\*\)|\[\^\]|\\n)?\"?(?=\s*\)|\s+[A-Z]{4,}|\s*$)",
        fits=False,
    ),
    _rule(
        r"CMakeLists\.txt$|\.cmake$",
        "skipped_test",
        r"\bSKIP_(?:RETURN_CODE\s+1\b|REGULAR_EXPRESSION\s+\"\.?\*?\")",
        fits=False,
    ),
    _rule(_BUILDS, "skipped_test", r"\b(?:DISABLED|WILL_FAIL)\s+(?:TRUE|ON|1)\b", fits=False),
    _rule(
        r"CMakeLists\.txt$|\.cmake$",
        "deleted_test",
        r"\b(?:add_test|gtest_discover_tests|catch_discover_tests|enable_testing)\s*\([^\n)]*",
        removed=True,
        fits=False,
        certain=False,
    ),
    # rustc and cargo
    _rule(
        _BUILDS,
        "disabled_warning",
        r"--cap-lints[= ]\w+|(?<![\w-])-A\s?(?P<code>[a-z][\w:-]+)",
        tools=frozenset({"rust", "cargo", "clippy"}),
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"(?<![\w-])-D\s?(?:warnings|clippy::\w+)",
        removed=True,
        tools=frozenset({"rust", "cargo", "clippy"}),
    ),
    _rule(
        _RUST,
        "disabled_warning",
        r"^\s*(?P<code>[\w:-]+)\s*=\s*(?:\"allow\"|\{[^}]*\"allow\")",
        tools=frozenset({"rust", "cargo", "clippy"}),
    ),
    _rule(
        _RUST,
        "disabled_warning",
        r"^\s*[\w:-]+\s*=\s*(?:\"(?:deny|forbid)\"|\{[^}]*\"(?:deny|forbid)\")",
        removed=True,
        certain=False,
    ),
    _rule(_RUST, "skipped_test", r"^\s*(?:autotests|test|doctest)\s*=\s*false", fits=False),
    _rule(
        _RUST,
        "disabled_warning",
        r"^\s*overflow-checks\s*=\s*false|^\s*debug-assertions\s*=\s*false",
        codes=r"overflow|assert|panick",
    ),
    # TypeScript
    *_strict("strict", r"70\d\d|2531|2532|2322|2345|2564|2683|1804\d|2339|implicitly|possibly|initializer"),
    *_strict("noImplicitAny", _ANYS),
    *_strict("strictNullChecks", _NULLS),
    *_strict("noUnusedLocals", r"6133|6196|6192|never"),
    *_strict("noUnusedParameters", r"6133|never"),
    *_strict("noImplicitReturns", r"7030|not all code paths"),
    *_strict("strictPropertyInitialization", r"2564|initializer"),
    *_strict("noFallthroughCasesInSwitch", r"7029|[Ff]allthrough"),
    *_strict("noUncheckedIndexedAccess", _NULLS),
    *_strict("exactOptionalPropertyTypes", r"2375|2379|2412"),
    *_strict("useUnknownInCatchVariables", r"18046|unknown"),
    *_strict("strictFunctionTypes", r"2322|2345"),
    *_strict("checkJs", r"."),
    _rule(
        _TSCONFIG,
        "disabled_warning",
        r'"noEmitOnError"\s*:\s*false|"noCheck"\s*:\s*true|"suppress\w+"\s*:\s*true',
        tools=_TSC,
    ),
    _rule(_TSCONFIG, "disabled_warning", r'"skipLibCheck"\s*:\s*true', codes=r"^(?!.*node_modules).*\.d\.[cm]?ts\b"),
    # linters of JavaScript
    _rule(
        _LINT_JS,
        "disabled_warning",
        r"[\"'](?P<code>(?!(?:exclusive)?(?:min|max)|default|order|version|timeout|port|retr|"
        r"bail)[@\w/-]+)[\"']\s*:\s*\[?\s*(?:[\"']off[\"']|0\b)",
    ),
    _rule(_LINT_JS, "disabled_warning", r"[\"']?(?P<code>no[\w-]+|use[A-Z]\w+)[\"']?\s*:\s*\[?\s*[\"']off[\"']"),
    _rule(_LINT_JS, "disabled_warning", r"[\"'](?P<code>[@\w/-]+)[\"']\s*:\s*\[?\s*[\"'](?:warn|info)[\"']"),
    _rule(
        r"(?:^|/)biome\.jsonc?$",
        "disabled_warning",
        r"[\"']?(?:recommended|enabled)[\"']?\s*:\s*false",
        tools=frozenset({"biome", "lint"}),
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"\beslint\b[^\n]*(?:--quiet\b|--ignore-pattern\S*|--no-eslintrc|--no-config-lookup)",
        tools=frozenset({"eslint"}),
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"\btsc\b[^\n]*(?:--noCheck\b|--skipLibCheck\b|--(?:strict|no[A-Z]\w+)[= ]false\b)",
        tools=_TSC,
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"\b(?:ruff|flake8|pylint|mypy)\b[^\n]*(?:--(?:extend-)?ignore[= ](?P<code>[\w,]+)|"
        r"--disable(?:-error-code)?[= ][\w,-]+|--ignore-missing-imports|"
        r"--follow-imports[= ]\w+|--(?:extend-)?exclude[= ]\S+)",
        tools=frozenset({"ruff", "flake8", "pylint", "mypy"}),
    ),
    _rule(
        _BUILDS,
        "exit_zero",
        r"--exit-zero\b|--exit-code[= ]0\b|--no-error-on-unmatched-pattern|\bsuccess_codes\s*=\s*\[[^\]]*[1-9]",
        fits=False,
    ),
    _rule(
        r"(?:^|/)(?:tox\.ini|setup\.cfg)$",
        "exit_zero",
        r"^\s*(?:commands\w*\s*=\s*)?-\s+\S*(?:pytest|python\S*|mypy|ruff|flake8|pylint|coverage|unittest|make|"
        r"black)\b|^\s*ignore_(?:outcome|errors)\s*=\s*"
        r"[Tt]rue",
        fits=False,
    ),
    _rule(_BUILDS, "disabled_warning", r"--max-warnings[= ]?0\b", removed=True, codes=r"warning|eslint|."),
    _rule(
        _LINT_JS,
        "disabled_warning",
        r"\b\w+\.configs\.\w*(?:[rR]ecommended|[sS]trict|all|[tT]ypeChecked)\w*|[\"']plugin:[\w@/-]+[\"']|"
        r"[\"']eslint:(?:recommended|all)[\"']",
        removed=True,
        tools=frozenset({"eslint"}),
        codes="",
    ),
    # tests of JavaScript
    _rule(
        _TEST_JS,
        "skipped_test",
        r"--passWithNoTests|\bpassWithNoTests[\"']?\s*:\s*true|testPathIgnorePatterns[^\n]*|--testPathIgnorePatterns\S*|"
        r"--exclude[= ]\S+",
        certain=False,
    ),
    _rule(
        _TEST_JS,
        "skipped_test",
        r"--listTests\b|--test-skip-pattern\S*|\bvitest list\b|(?:--invert|-i)\b[^\n]*--f?grep|"
        r"--f?grep\b[^\n]*--invert\b|--testNamePattern[= ]\S*\(\?!\S*",
        fits=False,
    ),
    _rule(
        _TEST_JS,
        "skipped_test",
        r"(?:--testNamePattern|--testPathPatterns?|--test-name-pattern|--f?grep|--onlyChanged|--changed|"
        r"--shard|--related)\b[= ]?[^\s\"]*",
        fits=False,
        certain=False,
    ),
    _rule(_TEST_JS, "weakened_test", r"(?:--updateSnapshot|--update-snapshots|\s-u\b)", certain=False),
    # Python
    _rule(_PYTHON, "disabled_warning", r"^\s*(?:ignore_errors|ignore-errors)\s*=\s*[Tt]rue", tools=_TYPES),
    _rule(_PYTHON, "disabled_warning", r"^\s*ignore_missing_imports\s*=\s*[Tt]rue", tools=_TYPES, codes=r"import"),
    _rule(
        _PYTHON,
        "disabled_warning",
        r"^\s*(?:strict|disallow_\w+|check_untyped_defs|warn_\w+|strict_\w+|no_implicit_\w+)\s*=\s*[Ff]alse",
        tools=_TYPES,
    ),
    _rule(
        _PYTHON,
        "disabled_warning",
        r"^\s*(?:strict|disallow_\w+|check_untyped_defs|warn_\w+|strict_\w+|no_implicit_\w+)\s*=\s*[Tt]rue",
        removed=True,
        tools=_TYPES,
    ),
    _rule(_PYTHON, "disabled_warning", r"^\s*(?:disable_error_code|follow_imports)\s*=[^\n]*", tools=_TYPES),
    _rule(
        _PYTHON,
        "disabled_warning",
        r"^\s*\"?(?:report\w+|typeCheckingMode)\"?\s*[:=]\s*\"?(?:false|none|off|basic)\b",
        tools=frozenset({"pyright"}),
    ),
    _rule(
        _PYTHON,
        "disabled_warning",
        r"^\s*filterwarnings\s*=[^\n]*ignore[^\n]*|^\s*[\"']?ignore::\w+",
        codes=r"[Ww]arning",
    ),
    _rule(
        _PYTHON,
        "skipped_test",
        r"--(?:ignore|ignore-glob|deselect)[= ]\S+|--collect-only\b|--co\b|--setup-(?:only|plan)\b|"
        r"-k\s*[\"']?\s*not\s[^\"'\n]*|-m\s*[\"']?\s*not\s[^\"'\n]*",
        fits=False,
    ),
    _rule(
        _PYTHON,
        "skipped_test",
        r"^\s*(?:norecursedirs|collect_ignore\w*|python_files|python_functions|python_classes)\s*=[^\n]*",
        fits=False,
        certain=False,
    ),
    _rule(_PYTHON, "weakened_test", r"^\s*xfail_strict\s*=\s*[Ff]alse", fits=False, certain=False),
    _rule(
        _BUILDS,
        "skipped_test",
        r"\bpytest\b[^\n]*(?:--ignore[= ]\S+|--deselect[= ]\S+|--collect-only\b|--co\b|--setup-(?:only|plan)\b|"
        r"-k\s*[\"']?\s*not\s|-m\s*[\"']?\s*not\s)",
        fits=False,
    ),
    _rule(_BUILDS, "skipped_test", r"\bpytest\b[^\n]*\s-[km]\s*(?![\"']?\s*not\s)\S+", fits=False, certain=False),
    _rule(
        _BUILDS,
        "suppression",
        r"\bpython3?\b[^\n]*\s-W\s?ignore\b|PYTHONWARNINGS\s*[:=]\s*[\"']?ignore",
        codes=r"[Ww]arning",
    ),
    _rule(
        _BUILDS,
        "disabled_warning",
        r"\s-W\s?error\b|^\s*filterwarnings\s*=.*\berror\b|^\s*[\"']?error(?:::\w+)?[\"']?,?\s*$|"
        r"PYTHONWARNINGS\s*[:=]\s*[\"']?error",
        removed=True,
        codes=r"[Ww]arning",
    ),
    _rule(
        _BUILDS,
        "weakened_test",
        r"\bpython3?\b\s+(?:-\w+\s+)*-OO?\b|\bPYTHONOPTIMIZE\s*[:=]\s*[\"']?[12]",
        codes=r"[Aa]ssert",
    ),
    _rule(_BUILDS, "exit_zero", r"--unhandled-rejections=(?:none|warn)\b", fits=False, certain=False),
    _rule(
        _BUILDS,
        "weakened_test",
        r"\b(?:pytest|jest|vitest|mocha|playwright|cypress|ctest|nextest|wdio)\b[^\n]*--(?:reruns|retries|retry|"
        r"repeat)[= ][1-9]\d*|rerunFailingTestsCount",
        fits=False,
        certain=False,
    ),
    _rule(_TEST_JS, "weakened_test", r"\bretr(?:y|ies)[\"']?\s*:\s*[1-9]\d*", fits=False, certain=False),
    _rule(_PYTHON, "weakened_test", r"--reruns[= ][1-9]\d*", fits=False, certain=False),
    # JVM
    _rule(
        _JVM,
        "skipped_test",
        r"<(?:skipTests|maven\.test\.skip|skipITs)>\s*true|-DskipTests\b|-Dmaven\.test\.skip\b|<excludedGroups>[^<]*",
        fits=False,
    ),
    _rule(
        _JVM,
        "exit_zero",
        r"<(?:testFailureIgnore|maven\.test\.failure\.ignore)>\s*true|\bignoreFailures\s*(?:=|\.set\()\s*true|-fae\b|-fn\b",
        fits=False,
    ),
    _rule(
        _JVM,
        "disabled_warning",
        r"<failOn(?:Error|Violation|Warning)>\s*false|<failsOnError>\s*false|-Xlint:(?:none|-(?!(?:processing|"
        r"options|path|classfile)\b)[\w,-]+)|-nowarn\b",
    ),
    # what these tell of is how the compiler was called, not how the code is
    _rule(_JVM, "disabled_warning", r"-Xlint:-(?:processing|options|path|classfile)\b", certain=False),
    _rule(
        _JVM,
        "disabled_warning",
        r"-Werror\b|-Xlint:all\b|<failOnWarning>\s*true",
        removed=True,
        codes=r"warning|Werror|\[",
    ),
    _rule(
        _JVM,
        "skipped_test",
        r"\b(?:test|tasks\.test)\b[^\n]*\benabled\s*=\s*false|^\s*enabled\s*=\s*false|\bonlyIf\s*\{\s*false\s*\}|\s-x\s+test\b",
        fits=False,
    ),
    _rule(
        _JVM,
        "skipped_test",
        r"<exclude>[^<]*(?:Test|Spec|IT)[^<]*|\bexclude(?:TestsMatching)?\s*\(?\s*[\"'][^\"']*(?:Test|Spec)[^\"']*",
        fits=False,
    ),
    # Go
    _rule(_BUILDS, "disabled_warning", r"-vet=off\b"),
    _rule(
        _BUILDS,
        "skipped_test",
        r"\bgo\s+test\b[^\n]*(?:\s-short\b|-skip[= ]\S+|-run[= ][\"']?(?:\^\$|NONE|XXX))",
        fits=False,
    ),
    _rule(_GO_LINT, "disabled_warning", r"^\s*-\s*[\w-]+\s*$", certain=False),
    # continuous integration
    _rule(
        _CI,
        "exit_zero",
        r"\bcontinue-on-error\s*:\s*true|\ballow_failure\s*:\s*true|\bcontinueOnError\s*:\s*true|ignore_failure\s*:\s*true",
        fits=False,
    ),
    _rule(_CI, "skipped_test", r"^\s*if\s*:\s*(?:false|\$\{\{\s*false\s*\}\})\s*$", fits=False),
    # recorded expectations
    Rule(
        re.compile(EXPECTED), "weakened_test", re.compile(r"^[^\n]*\S[^\n]*$"), certain=False, fits=False, verbatim=True
    ),
)
