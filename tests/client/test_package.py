"""The package as it is installed and as a type checker sees it."""
import ast
import os
import pathlib
import subprocess
import sys

import pytest

from support.server import ROOT

PACKAGE = ROOT / "python" / "assay_client"


def test_types_are_right_by_the_strictest_rules():
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull],
                          cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_callers_are_type_checked_too(tmp_path):
    (tmp_path / "caller.py").write_text(
        "from assay_client import AssayClient\n"
        "job: int = AssayClient().submit({})\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "caller.py"],
                          cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": str(PACKAGE / "src")})
    assert 'has type "Job", variable has type "int"' in done.stdout


@pytest.mark.parametrize("source", sorted((PACKAGE / "src").rglob("*.py")), ids=lambda p: p.stem)
def test_source_is_python_3_9_with_the_standard_library_alone(source):
    tree = ast.parse(source.read_text(), feature_version=(3, 9))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                for alias in node.names}
    imported |= {node.module for node in ast.walk(tree)
                 if isinstance(node, ast.ImportFrom) and node.level == 0}
    assert {name.split(".")[0] for name in imported} <= set(sys.stdlib_module_names)


def test_package_installs_and_imports_with_nothing_beside_it(tmp_path):
    source = tmp_path / "source"
    subprocess.run(["cp", "-r", PACKAGE, source], check=True)  # a build writes beside the source
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
                    "--no-build-isolation", "--target", tmp_path / "site", source], check=True)
    assert (tmp_path / "site" / "assay_client" / "py.typed").exists()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c",
         f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
         "import assay_client; print(assay_client.__version__)"],
        capture_output=True, text=True)
    assert done.stdout.strip() == "0.1.0", done.stderr
    metadata = next((tmp_path / "site").glob("assay_client-*.dist-info")) / "METADATA"
    assert "Requires-Dist" not in pathlib.Path(metadata).read_text()
