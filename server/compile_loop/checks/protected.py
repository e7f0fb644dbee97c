"""Files that decide whether the code is right, by their names (SPEC K6).

Tests, fixtures, recorded expectations, build, lint and CI configuration, and what a tool runs by itself when it starts.
Folders that no edit may enter at all, such as `.github`, are the path gate's (SPEC E10).
"""

from __future__ import annotations

import re

_FOLDERS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|__mocks__|specs?|e2e|fixtures|testdata|test[-_]data|__snapshots__|snapshots|golden|ci|\.ci|\.mvn|"
    r"\.cargo|gradle/wrapper)/",
    re.IGNORECASE,
)
_TEST_FILES = re.compile(
    r"(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*[.-](?:test|spec|cy|e2e)|conftest|[^/]*Tests?|[^/]*_spec|[^/]*[a-z0-9](?:IT|TestCase)|"
    r"Test[A-Z][^/]*)\.[A-Za-z]+$|\.t$"
)
_EXPECTATIONS = re.compile(
    r"(?:\.(?:snap|golden|approved|expected|ambr|bats|feature)(?:\.\w+)?|(?:^|[/._-])(?:expected|golden|approved)(?:[_-]out(?:put)?)?\."
    r"(?:txt|json|out|xml|html|ya?ml|toml|csv|tsv|md|log|svg|png|bin|dat))$",
    re.IGNORECASE,
)
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:"
    # C, C++
    r"Makefile(?:\.[^/]*)?|GNUmakefile|makefile|[^/]*\.mk|CMakeLists\.txt|[^/]*\.cmake|CMakePresets\.json|CMakeUserPresets\.json|build\.ninja|"
    r"meson\.build|meson_options\.txt|meson\.options|configure(?:\.ac|\.in)?|SConstruct|SConscript|compile_commands\.json|compile_flags\.txt|"
    r"\.clang-tidy|\.clangd|conanfile\.(?:txt|py)|vcpkg\.json|"
    # any
    r"BUILD(?:\.bazel)?|WORKSPACE(?:\.bazel)?|MODULE\.bazel|\.bazelrc|[^/]*\.bzl|Dockerfile(?:\.[^/]*)?|[^/]*\.dockerfile|docker-compose[^/]*|"
    r"compose\.ya?ml|Jenkinsfile|\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|appveyor\.yml|\.drone\.yml|"
    r"[Jj]ustfile|Taskfile\.ya?ml|\.pre-commit-config\.yaml|lefthook\.yml|\.envrc|\.tool-versions|mise\.toml|compile-loop\.toml|[^/]*\.code-workspace|"
    r"[^/]*\.(?:sh|bash|zsh|ps1|bat|cmd)|"
    # Rust
    r"Cargo\.(?:toml|lock)|build\.rs|rust-toolchain(?:\.toml)?|\.?clippy\.toml|deny\.toml|\.?nextest\.toml|"
    # JavaScript, TypeScript
    r"package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|\.npmrc|\.yarnrc(?:\.yml)?|"
    r"[tj]sconfig[^/]*\.json|[^/]*eslint[^/]*|biome\.jsonc?|\.oxlintrc\.json|tslint\.json|deno\.jsonc?|turbo\.json|nx\.json|lerna\.json|"
    r"(?:jest|vitest|vite|webpack|rollup|babel|karma|playwright|cypress|metro|wdio|tsup|esbuild)\.(?:config|conf|setup|workspace)\.[^/]+|"
    r"\.mocharc[^/]*|\.babelrc[^/]*|\.nycrc[^/]*|\.c8rc[^/]*|\.swcrc|"
    # Python
    r"pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|\.?pytest\.(?:ini|toml)|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|pyrightconfig\.json|"
    r"\.coveragerc|noxfile\.py|Pipfile(?:\.lock)?|poetry\.lock|uv\.lock|pdm\.lock|requirements[^/]*\.(?:txt|in)|environment\.ya?ml|"
    r"sitecustomize\.py|usercustomize\.py|[^/]*\.pth|"
    # JVM
    r"pom\.xml|[^/]*\.gradle(?:\.kts)?|gradle\.(?:properties|lockfile)|gradlew|mvnw|[^/]*\.sbt|libs\.versions\.toml|checkstyle[^/]*\.xml|"
    r"spotbugs[^/]*\.xml|pmd[^/]*\.xml|detekt[^/]*\.ya?ml|junit-platform\.properties|"
    # Go
    r"go\.(?:mod|sum|work|work\.sum)|\.golangci\.(?:ya?ml|toml|json)|"
    # others
    r"[^/]*\.(?:cs|fs|vb|vcx)proj|[^/]*\.sln|Directory\.Build\.(?:props|targets)|global\.json|nuget\.config|\.editorconfig|Gemfile(?:\.lock)?|Rakefile|"
    r"\.rspec|\.rubocop\.yml|composer\.(?:json|lock)|phpunit[^/]*\.xml[^/]*|phpstan\.neon[^/]*|psalm\.xml|Package\.swift|\.swiftlint\.yml|build\.zig(?:\.zon)?|"
    r"mix\.(?:exs|lock)|stack\.yaml|cabal\.project|[^/]*\.cabal|hie\.yaml|dune(?:-project)?|rebar\.config|\.luacheckrc|[^/]*\.rockspec|\.shellcheckrc"
    r")$"
)
_MORE_CONFIGURATION = re.compile(
    r"(?:^|/)(?:"
    # C, C++
    r"[._]clang-format(?:-ignore)?|CPPLINT\.cfg|\.cppcheck[^/]*|CMakeCache\.txt|config\.site|xmake\.lua|premake\d?\.lua|wscript|Tupfile|BSDmakefile|"
    r"\.ycm_extra_conf\.py|[^/]*\.(?:imp|supp|mak|rsp)|uncrustify\.cfg|\.astylerc|vcpkg-configuration\.json|conan\.lock|\.?lcovrc|gcovr\.cfg|"
    r"\.valgrindrc|[^/]*\.specs|"
    # Rust, Go
    r"\.?rustfmt\.toml|Cross\.toml|\.?tarpaulin\.toml|insta\.yaml|dylint\.toml|[._]?typos\.toml|go\.env|vendor/modules\.txt|staticcheck\.conf|"
    r"revive\.toml|magefile\.go|"
    # JavaScript, TypeScript
    r"bunfig\.toml|\.prettierrc[^/]*|\.?stylelintrc[^/]*|\.pnp\.(?:[cm]?js|loader\.mjs|data\.json)|\.pnpmfile\.cjs|\.nvmrc|\.node-version|"
    r"angular\.json|\.browserslistrc|\.jshintrc|\.taprc|\.flowconfig|dprint\.jsonc?|knip\.jsonc?|rome\.json|\.lintstagedrc[^/]*|"
    r"\.commitlintrc[^/]*|testem\.[cm]?js(?:on)?|\.markdownlint[^/]*|\.?cspell\.[^/]+|"
    r"(?:prettier|stylelint|postcss|ava|next|nuxt|svelte|astro|commitlint|web-test-runner|nightwatch|codecept|stryker|hardhat|jasmine|nyc|c8|"
    r"unocss|tailwind|rspack|rsbuild|farm)\.(?:config|conf)\.[^/]+|hardhat\.config\.[^/]+|jasmine\.json|"
    # Python
    r"\.isort\.cfg|\.?bandit(?:\.ya?ml)?|ty\.toml|pyrefly\.toml|\.pydocstyle(?:rc)?|\.pep8|\.style\.yapf|\.importlinter|\.pyre_configuration|"
    r"pytype\.cfg|(?:hatch|pdm|pixi|tox|robot|pylock)\.toml|pixi\.lock|dodo\.py|MANIFEST\.in|\.python-version|pyvenv\.cfg|behave\.ini|\.behaverc|"
    r"\.noserc|nose\.cfg|unittest\.cfg|[^/]*\.(?:dist|egg)-info/[^/]+|"
    # JVM
    r"lombok\.config|testng[^/]*\.xml|build\.xml|ivy(?:settings)?\.xml|gradle-[\w-]+\.properties|local\.properties|verification-metadata\.xml|"
    r"\.sdkmanrc|archunit\.properties|mockito-extensions/[^/]+|META-INF/services/(?:org\.(?:junit|testng|mockito|codehaus)|javax\.annotation)[^/]*|"
    r"\.scala(?:fmt|fix)\.conf|build\.(?:sc|mill)|\.(?:jvm|sbt)opts|project/build\.properties|deps\.edn|project\.clj|tests\.edn|"
    # .NET
    r"[^/]*\.(?:props|targets|ruleset|globalconfig|runsettings|slnx|slnf)|\.globalconfig|stylecop\.json|packages\.(?:config|lock\.json)|"
    r"[Nn]u[Gg]et\.[Cc]onfig|xunit\.runner\.json|testconfig\.json|dotnet-tools\.json|"
    # PHP, Ruby, Perl
    r"\.?phpcs\.xml[^/]*|\.?ruleset\.xml|phpmd[^/]*\.xml|psalm[^/]*\.xml(?:\.dist)?|phpstan[^/]*\.(?:neon|php)(?:\.dist)?|php\.ini|\.user\.ini|"
    r"\.php[-_]cs[^/]*|rector\.php|ecs\.php|pint\.json|grumphp\.ya?ml|infection\.json5?(?:\.dist)?|(?:codeception|behat|phpspec)\.(?:dist\.)?ya?ml|"
    r"\.rspec[^/]*|\.rubocop[^/]*\.yml|\.simplecov|Guardfile|Steepfile|\.standard\.yml|\.reek\.yml|\.ruby-version|\.bundle/config|[^/]*\.gemspec|"
    r"\.minitest\.rb|cucumber\.ya?ml|(?:spec|rails|test)_helper\.(?:rb|exs)|\.proverc|\.?perlcriticrc|\.perltidyrc|cpanfile|Build\.PL|dist\.ini|"
    # others
    r"cabal\.project\.\w+(?:\.\w+)*|package\.yaml|\.?hlint\.ya?ml|\.ghci|\.ghc\.environment[^/]*|Setup\.l?hs|weeder\.toml|dune-workspace|"
    r"[^/]*\.opam|\.ocamlformat|Package@swift[^/]*\.swift|Package\.resolved|\.swift-?(?:format|version)|[^/]*\.(?:xcconfig|xctestplan|pbxproj)|"
    r"Podfile(?:\.lock)?|\.busted|\.luacov|\.luarc\.jsonc?|selene\.toml|\.?stylua\.toml|\.(?:credo|formatter|dialyzer_ignore)\.exs|coveralls\.json|"
    r"rebar\.lock|elvis\.config|Emakefile|(?:[^/]*\.)?nim\.cfg|[^/]*\.(?:nims|nimble)|analysis_options\.ya?ml|dart_test\.yaml|"
    r"pubspec(?:_overrides)?\.(?:yaml|lock)|foundry\.toml|remappings\.txt|\.solhint\.json|\.lintr|\.Rprofile|\.Renviron|dub\.(?:json|sdl)|"
    r"fpm\.toml|\.?latexmkrc|\.sqlfluff|\.yamllint[^/]*|buf(?:\.\w+)?\.yaml|(?:flake|default|shell)\.nix|flake\.lock|\.semgrep\.ya?ml|"
    r"sonar-project\.properties|\.?codecov\.ya?ml|\.hadolint\.ya?ml|pants\.toml|BUCK|\.buckconfig|\.bazel(?:version|ignore)|Earthfile|Tiltfile|"
    r"\.mise\.toml|devbox\.json|\.(?!git|docker|npm|vscode)[\w-]*ignore"
    r")$"
)


_BY_ITSELF = re.compile(
    r"(?:^|/)(?:conftest\.py|test_[^/]*\.py|[^/]*_test\.(?:py|go|rb|exs)|[^/]*\.(?:test|spec)\.[cm]?[jt]sx?|[^/]*_spec\.rb|"
    r"sitecustomize\.py|usercustomize\.py|[^/]*\.pth|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml|\.coveragerc|"
    r"\.?mypy\.ini|\.?ruff\.toml|\.flake8|pyrightconfig\.json|package\.json|\.npmrc|tsconfig\.json|\.mocharc[^/]*|\.babelrc[^/]*|"
    r"\.eslintrc[^/]*|eslint\.config\.[^/]*|(?:jest|vitest|vite|babel|playwright|cypress)\.config\.[^/]+|GNUmakefile|makefile|Makefile|"
    r"CMakeLists\.txt|CMakePresets\.json|\.cargo/config(?:\.toml)?|Cargo\.toml|build\.rs|rust-toolchain(?:\.toml)?|go\.(?:mod|work)|"
    r"pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|phpunit\.xml(?:\.dist)?|\.rspec|\.envrc|compile-loop\.toml)$"
)
"""What tools run or read by themselves where they find it: tests and their configuration, and builds'."""


def is_taken_by_itself(path: str) -> bool:
    """Whether a tool runs or reads a file of this name though no command names it."""
    return _BY_ITSELF.search(path) is not None


def is_protected(path: str) -> bool:
    """Whether a workspace-relative path names something that decides about green."""
    return any(
        pattern.search(path) for pattern in (_FOLDERS, _TEST_FILES, _EXPECTATIONS, _CONFIGURATION, _MORE_CONFIGURATION)
    )


def is_found_by_name(path: str) -> bool:
    """Whether a tool takes a file of this name into account wherever it lies: tests, expectations, configuration."""
    return any(pattern.search(path) for pattern in (_TEST_FILES, _EXPECTATIONS, _CONFIGURATION, _MORE_CONFIGURATION))


def is_test_program(path: str) -> bool:
    """Whether a file's own name, not its folder's, is one of tests."""
    return _TEST_FILES.search(path) is not None


def is_expectation(path: str) -> bool:
    """Whether a file's own name says that it is what is to come out."""
    return _EXPECTATIONS.search(path) is not None


def is_configuration(path: str) -> bool:
    """Whether a workspace-relative path names configuration of a build, a linter, CI or a tool, and is no test."""
    configures = any(pattern.search(path) for pattern in (_CONFIGURATION, _MORE_CONFIGURATION))
    return configures and not any(pattern.search(path) for pattern in (_TEST_FILES, _EXPECTATIONS))
