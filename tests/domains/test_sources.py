"""Which files belong to a domain: those that it imports from its own folder, or from its package."""

import sys
import types
from hashlib import blake2b
from pathlib import Path

import pytest

from domains.protocol import Domain
from domains.registry import find_domain
from domains.sources import files_imported, source_hash

DOMAIN = "class Mine:\n    def actions(self, state): return []\n"


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def found(folder: Path, first: str, package: str | None = None) -> list[str]:
    base = folder if package is None else folder / package
    return [path.relative_to(folder).as_posix() for path in files_imported(folder / first, base, package)]


@pytest.mark.parametrize(
    ("text", "belongs"),
    [
        ("import numpy, json", []),
        ("import rules", ["rules.py"]),
        ("import numpy, rules as r", ["rules.py"]),
        ("from rules import go", ["rules.py"]),
        ("def f():\n    from rules import go", ["rules.py"]),
        ("import deep.down", ["deep/__init__.py", "deep/down.py", "rules.py"]),
        ("from deep import down", ["deep/__init__.py", "deep/down.py", "rules.py"]),
        ("from deep.down import go", ["deep/__init__.py", "deep/down.py", "rules.py"]),
        ("import deep", ["deep/__init__.py"]),
        ("import bare.leaf", ["bare/leaf.py"]),
        ("import circle", ["circle.py"]),
        ("import broken", ["broken.py"]),
        ("from . import rules", ["rules.py"]),
        ("from ....................................... import rules", []),
        ("import none_such, other", []),
    ],
)
def test_a_file(text: str, belongs: list[str], tmp_path: Path) -> None:
    files = {
        "domain.py": text,
        "rules.py": "import math\n",
        "unused.py": "",
        "deep/__init__.py": "",
        "deep/down.py": "import rules",
        "deep/unused.py": "",
        "bare/leaf.py": "",
        "circle.py": "import circle, domain",
        "broken.py": "import (",
    }
    assert found(written(tmp_path, files), "domain.py") == belongs


@pytest.mark.parametrize(
    ("text", "belongs"),
    [
        ("import beside", []),
        ("import rules", []),  # that is another package of the same name
        ("import shop.rules", ["shop/__init__.py", "shop/rules.py"]),
        ("from shop import rules", ["shop/__init__.py", "shop/rules.py"]),
        ("from . import rules", ["shop/__init__.py", "shop/rules.py"]),
        ("from .rules import go", ["shop/__init__.py", "shop/rules.py"]),
        ("from .sub.leaf import go", ["shop/__init__.py", "shop/rules.py", "shop/sub/leaf.py"]),
        ("from .. import beside", []),
    ],
)
def test_a_module_of_a_package(text: str, belongs: list[str], tmp_path: Path) -> None:
    files = {
        "beside.py": "",
        "rules.py": "",
        "shop/__init__.py": "",
        "shop/domain.py": text,
        "shop/rules.py": "",
        "shop/sub/leaf.py": "from .. import rules",
    }
    assert found(written(tmp_path, files), "shop/domain.py", "shop") == belongs


def hash_of(folder: Path) -> str | None:
    return source_hash(find_domain(f"{folder / 'domain.py'}:Mine"))


def test_one_file_has_the_hash_of_what_is_in_it(tmp_path: Path) -> None:
    written(tmp_path, {"domain.py": DOMAIN, "unused.py": ""})
    assert hash_of(tmp_path) == blake2b(DOMAIN.encode(), digest_size=8).hexdigest()


def test_a_change_or_another_name_of_what_is_imported_is_another_hash(tmp_path: Path) -> None:
    written(tmp_path, {"domain.py": f"import source_a\n{DOMAIN}", "source_a.py": "A = 1", "unused.py": "1"})
    hashes = [hash_of(tmp_path)]
    written(tmp_path, {"unused.py": "2"})
    assert hash_of(tmp_path) == hashes[0]
    written(tmp_path, {"source_a.py": "A = 2"})
    hashes.append(hash_of(tmp_path))
    written(tmp_path, {"source_a.py": "A = 1"})
    assert hash_of(tmp_path) == hashes[0]
    written(tmp_path, {"domain.py": f"import source_b\n{DOMAIN}", "source_b.py": "A = 1"})
    hashes.append(hash_of(tmp_path))
    assert len(set(hashes)) == 3


def test_the_same_files_elsewhere_have_the_same_hash(tmp_path: Path) -> None:
    files = {"domain.py": f"import source_c\n{DOMAIN}", "source_c.py": ""}
    assert hash_of(written(tmp_path / "a", files)) == hash_of(written(tmp_path / "b" / "c", files))


def test_what_is_built_in_or_has_no_file_has_no_hash() -> None:
    assert source_hash(find_domain("sudoku:3")) is None
    assert (
        source_hash(types.new_class("Typed", (Domain,), {}, lambda body: body.update(__module__="nowhere"))()) is None
    )


@pytest.mark.parametrize(
    ("module", "file", "changes_with"),
    [
        ("shop_x.domain", "shop_x/domain.py", {"shop_x/__init__.py", "shop_x/rules.py"}),
        ("shop_x", "shop_x/__init__.py", {"shop_x/rules.py"}),
        ("shop_x.deep", "shop_x/deep/__init__.py", {"shop_x/__init__.py", "shop_x/rules.py"}),
        ("single_x", "single_x.py", {"numpy_x.py"}),
        ("single_x", "site-packages/single_x.py", set()),  # what lies beside it is not its own
    ],
)
def test_which_files_count(
    module: str, file: str, changes_with: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everywhere = {"numpy_x.py": "", "site-packages/numpy_x.py": "", "shop_x/__init__.py": "", "shop_x/rules.py": ""}
    written(tmp_path, everywhere | {file: "import numpy_x, shop_x.rules" if "shop_x" in module else "import numpy_x"})
    loaded = types.ModuleType(module)
    loaded.__file__ = str(tmp_path / file)
    monkeypatch.setitem(sys.modules, module, loaded)
    domain = types.new_class("Mine", (Domain,), {}, lambda body: body.update(__module__=module))()
    before = source_hash(domain)
    assert before is not None
    changed = set()
    for name in everywhere.keys() - {file}:
        (tmp_path / name).write_text("changed = True")
        if source_hash(domain) != before:
            changed.add(name)
        (tmp_path / name).write_text("")
        assert source_hash(domain) == before
    assert changed == changes_with
