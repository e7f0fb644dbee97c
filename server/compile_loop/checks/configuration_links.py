"""Which further files a configuration file names as part of itself: bases, includes, plugins, set-up files (SPEC K6).

By the text, for each tool's own keys; what a configuration lists as the code to be looked at is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_VALUE = r"""\b["']?\s*[:=]\s*(\[[^\]]*\]|\{[^{}]*\}|"[^"\n]*"|'[^'\n]*'|[^\n]*(?:\n[ \t]+(?:-[ \t]+)?[^\n:=]+)*)"""
_QUOTED = re.compile(r"""["']([^"'\n]+)["']""")
_RELATIVE = re.compile(
    r"""(?:\brequire(?:\.resolve)?\s*\(|\bimport\s*\(|\bfrom|\bimport)\s*["'](\.{1,2}/[^"'\n]+)["']""",
)
_VARIABLE = re.compile(
    r"\$\{?(?:CMAKE_(?:CURRENT_)?(?:SOURCE|LIST)_DIR|PROJECT_SOURCE_DIR|\w+_SOURCE_DIR|rootDir|projectDir|rootProject\.projectDir|"
    r"project\.basedir|basedir|workspaceFolder)\}?/|\$\((?:MSBuildThisFileDirectory|ProjectDir|SolutionDir|MSBuildProjectDirectory)\)[/\\]?|"
    r"<rootDir>/|%rootDir%/|%currentWorkingDirectory%/|\$__DIR__/"
)


def _keys(*names: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w.-])(?:" + "|".join(names) + ")" + _VALUE)


_OF_SCRIPTS = (
    "extends", "parser", "plugins", "rulePaths", "setupFiles", "setupFilesAfterEnv", "setupFile", "supportFile", "globalSetup",
    "globalTeardown", "preset", "presets", "transform", "testEnvironment", "environment", "runner", "testRunner", "reporters",
    "snapshotSerializers", "snapshotResolver", "resolver", "moduleNameMapper", "configFile", "testSequencer", "prettier",
)  # fmt: skip
_OF_PYTHON = ("plugins", "extend", "load-plugins", "load_plugins", "extension", "report", "config_file", "baseline")
_OF_YAML = (
    "extends", "inherit_from", "require", "include", "includes", "bootstrapFiles", "scanFiles", "parent_config", "child_config",
    "taskfile", "plugins", "custom_rules", "requires", "ruleset",
)  # fmt: skip

_OPTION_P = re.compile(r"(?:^|[\s\"'])-p[ =]?([\w.]+)")
_OPTION_C = re.compile(r"(?:^|[\s\"'])-c[ =]([\w./-]+)")
_DOFILE = re.compile(r"\bdofile\s*\(?\s*[\"']([^\"']+)")

_KINDS: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = tuple(
    (re.compile(rf"(?:^|/)(?:{names})$", re.IGNORECASE), patterns)
    for names, patterns in (
        (r"[tj]sconfig[^/]*\.json", (_keys("extends", "path"),)),
        (r"package\.json|deno\.jsonc?|biome\.jsonc?|\.oxlintrc\.json|turbo\.json|nx\.json|angular\.json|project\.json",
         (_keys(*_OF_SCRIPTS),)),
        (r"[^/]*eslint[^/]*|\.mocharc[^/]*|\.?babel(?:rc|\.config)[^/]*|\.nycrc[^/]*|\.c8rc[^/]*|\.swcrc|\.?prettier(?:rc|\.config)[^/]*|"
         r"\.?stylelint(?:rc|\.config)[^/]*|\.?commitlint[^/]*|tslint\.json|"
         r"(?:jest|vitest|vite|webpack|rollup|karma|playwright|cypress|metro|wdio|tsup|esbuild|ava|nyc)\.(?:config|conf|setup|workspace)\.[^/]+",
         (_keys(*_OF_SCRIPTS, "require", "file"), _RELATIVE)),
        (r"\.yarnrc(?:\.yml)?", (_keys("yarnPath", "path", "spec"),)),
        (r"bunfig\.toml", (_keys("preload"),)),
        (r"pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.(?:ini|toml)|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|\.coveragerc|"
         r"pyrightconfig\.json|ty\.toml|pyrefly\.toml",
         (_keys(*_OF_PYTHON, "extends"), _OPTION_P, _OPTION_C)),
        (r"conftest\.py", (_keys("pytest_plugins"),)),
        (r"CMakeLists\.txt|[^/]*\.cmake",
         (re.compile(r"\b(?:include|file)\s*\(\s*(?:(?:READ|STRINGS)\s+)?\"?([^\s\")]+)", re.IGNORECASE),
          re.compile(r"\b(?:CMAKE_TOOLCHAIN_FILE|CMAKE_PROJECT_\w*INCLUDE\w*|CMAKE_USER_MAKE_RULES_OVERRIDE\w*)\s+\"?([^\s\")]+)"))),
        (r"CMake(?:User)?Presets\.json", (_keys("include", "toolchainFile"),)),
        (r"build\.ninja|[^/]*\.ninja", (re.compile(r"^(?:include|subninja)\s+(\S+)", re.MULTILINE),)),
        (r"Cargo\.toml", (re.compile(r"^\s*build\s*=\s*\"([^\"]+)\"", re.MULTILINE),)),
        (r"\.cargo/config(?:\.toml)?", (_keys("include", "linker", "rustc-wrapper", "runner"),)),
        (r"build\.rs|[^/]*/build/[^/]*\.rs",
         (re.compile(r"\binclude!\s*\(\s*\"([^\"]+)\""), re.compile(r"#\[path\s*=\s*\"([^\"]+)\""),
          re.compile(r"^\s*(?:pub\s+)?mod\s+(\w+)\s*;", re.MULTILINE))),
        (r"[^/]*\.gradle(?:\.kts)?",
         (re.compile(r"\bapply\s*\(?\s*from\s*[:=]\s*[\"']([^\"']+)"),
          re.compile(r"\b(?:configFile|config|suppressionFile|ruleSetFiles|excludeFilter|includeFilter|baseline)\b[^\n\"']*[\"']([^\"'\n]+)"))),
        (r"pom\.xml|build\.xml|checkstyle[^/]*\.xml|spotbugs[^/]*\.xml|pmd[^/]*\.xml|testng[^/]*\.xml|phpunit[^/]*\.xml[^/]*|\.?phpcs\.xml[^/]*|"
         r"psalm\.xml|[^/]*\.(?:cs|fs|vb|vcx)proj|[^/]*\.(?:props|targets|ruleset|runsettings)",
         (re.compile(r"<(?:\w+:)?(?:configLocation|suppressionsLocation|suppressionsFileExpression|relativePath|excludeFilterFile|"
                     r"includeFilterFile|suiteXmlFile|ruleset|headerLocation|CodeAnalysisRuleSet|RunSettingsFilePath)>\s*([^<\s]+)"),
          re.compile(r"\b(?:bootstrap|autoloader)\s*=\s*\"([^\"]+)\""),
          re.compile(r"<(?:Import|import|suite-file|property)\s[^>]*\b(?:Project|file|path)\s*=\s*\"([^\"]+)\""),
          re.compile(r"<(?:AdditionalFiles|GlobalAnalyzerConfigFiles|EditorConfigFiles|Analyzer|Include)\s[^>]*\b(?:Include|Path)\s*=\s*\"([^\"]+)\""),
          re.compile(r"<(?:rule|suppression)\s[^>]*\bref\s*=\s*\"([^\"]+\.\w+)\""))),
        (r"\.rubocop[^/]*\.ya?ml|phpstan[^/]*\.neon[^/]*|analysis_options\.ya?ml|\.swiftlint\.ya?ml|\.golangci\.(?:ya?ml|toml|json)|Taskfile\.ya?ml|"
         r"\.hlint\.ya?ml|detekt[^/]*\.ya?ml|package\.yaml|\.yamllint[^/]*",
         (_keys(*_OF_YAML),)),
        (r"Rakefile|Gemfile|Guardfile|[^/]*\.rake",
         (re.compile(r"\b(?:require_relative|load|import|eval_gemfile)\s*\(?\s*[\"']([^\"'\n]+)"),)),
        (r"\.rspec", (re.compile(r"(?:-r|--require)[ =]?(\S+)"),)),
        (r"\.proverc", (re.compile(r"(?:-P|--plugin|--exec|-e|--rules|--source)[ =]?[\"']?([^\s\"']+)"),)),
        (r"\.?[Jj]ustfile", (re.compile(r"^(?:import|mod)\??\s+[\"']?([^\"'\s]+)", re.MULTILINE),
                             re.compile(r"^set\s+dotenv-(?:path|filename)\s*:=\s*[\"']([^\"']+)", re.MULTILINE))),
        (r"build\.zig", (re.compile(r"@import\(\"([^\"]+\.zig)\"\)"),)),
        (r"\.busted|\.luacov|\.luacheckrc", (_keys("helper", "loaders", "configfile"), _DOFILE)),
        (r"compile_flags\.txt|[^/]*\.rsp", (re.compile(r"^-include\s*(\S+)", re.MULTILINE), re.compile(r"^@(\S+)", re.MULTILINE))),
    )
)  # fmt: skip


def links_of(name: str, text: str, like: str = "") -> Iterator[str]:
    """The words by which a configuration file names further files, of itself and of packages; `like` is whose part it is."""
    patterns = next((found for each in (name, like) for kind, found in _KINDS if each and kind.search(each)), ())
    for pattern in patterns:
        for made in pattern.finditer(text):
            value = _VARIABLE.sub("", made.group(1))
            quoted = _QUOTED.findall(value)
            yield from (
                part for word in quoted or [value] for part in re.split(r"[,\s]+", word) if _may_be_a_path(part)
            )


def is_linking(name: str) -> bool:
    """Whether a file of this name may name others as part of its configuration."""
    return any(kind.search(name) for kind, _ in _KINDS)


def _may_be_a_path(word: str) -> bool:
    return bool(re.search(r"\w", word)) and not re.search(r"[*?<>{}$\0]|^-|^\w+:/", word)
