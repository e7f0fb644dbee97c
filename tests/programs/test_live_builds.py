"""Build tools that are slow to start, each on one red project made here (SPEC D2): only where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.programs import read, run
from tests.support.sources import spot
from tests.support.tools import need

from compile_loop.contracts.diagnostics import Phase
from compile_loop.toolchains.detect import detect

pytestmark = [pytest.mark.heavy, pytest.mark.spec("D2")]

DEBIANS = Path("/usr/share/maven-repo")
"""Maven's plugins as Debian packages them; nothing is fetched."""
JAVA = 'package demo;\nclass App {\n\t/* é😀 */ int x = mm;\n\tint y = "s";\n}\n'
PLUGIN = "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-{}-plugin</artifactId><version>{}</version></plugin>"


def pom(extra: str = "") -> str:
    plugins = []
    for name in ("compiler", "resources"):
        versions = sorted(p.name for p in (DEBIANS / f"org/apache/maven/plugins/maven-{name}-plugin").glob("3.*[0-9]"))
        if not versions:
            pytest.skip(f"get it with `apt-get install libmaven-{name}-plugin-java`")
        plugins.append(PLUGIN.format(name, "3.10.1" if "3.10.1" in versions else versions[-1]))
    return f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>demo</groupId><artifactId>demo</artifactId><version>1</version>{extra}
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<build><plugins>{"".join(plugins)}</plugins></build></project>
"""


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def maven(root: Path) -> tuple[int, bytes]:
    (proposal,) = detect(root, [Path("pom.xml")])
    assert proposal.check.command[0] == "mvn"
    own = ("-o", f"-Dmaven.repo.local={DEBIANS}", "compile")
    return run((*proposal.check.command[:-1], *own), root)


def test_maven_tells_each_error_once(tmp_path: Path) -> None:
    need("mvn")
    lay(tmp_path, {"pom.xml": pom(), "src/main/java/demo/App.java": JAVA})
    exit_code, output = maven(tmp_path)
    found = read(output, tmp_path, "mvn compile", exit_code)
    assert [(spot(one), one.source) for one in found if one.file] == [
        (("src/main/java/demo/App.java", 2, 19, 2, 21), "javac"),
        (("src/main/java/demo/App.java", 3, 9, 3, 12), "javac"),
    ], output.decode()
    assert "symbol:   variable mm" in found[0].message


def test_maven_names_the_place_in_a_broken_pom(tmp_path: Path) -> None:
    need("mvn")
    lay(tmp_path, {"pom.xml": pom("<modules><module>x</modules>")})
    exit_code, output = maven(tmp_path)
    found = read(output, tmp_path, "mvn compile", exit_code)
    assert [(one.file, one.range.start.line, one.phase) for one in found] == [("pom.xml", 1, Phase.CONFIGURE)]


def test_gradle_names_the_line_of_its_build_file(tmp_path: Path) -> None:
    need("gradle")
    lay(tmp_path, {"settings.gradle": "", "build.gradle": 'apply plugin: "java"\nfoo()\n', "src/main/java/A.java": "x"})
    (proposal,) = detect(tmp_path, [Path("src/main/java/A.java")])
    exit_code, output = run(proposal.check.command, tmp_path)
    (found,) = read(output, tmp_path, "gradle", exit_code)
    assert spot(found) == ("build.gradle", 1, 0, 1, 5)
    assert "Could not find method foo()" in found.message


def test_gradle_passes_on_what_javac_says(tmp_path: Path) -> None:
    need("gradle")
    lay(tmp_path, {"build.gradle": 'apply plugin: "java"\n', "src/main/java/demo/App.java": JAVA})
    (proposal,) = detect(tmp_path, [Path("src/main/java/demo/App.java")])
    exit_code, output = run(proposal.check.command, tmp_path)
    found = read(output, tmp_path, "gradle", exit_code)
    assert [spot(one)[:3] for one in found] == [
        ("src/main/java/demo/App.java", 2, 19),
        ("src/main/java/demo/App.java", 3, 9),
    ], output.decode()
