import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def moody():
    found = os.environ.get("MOODY") or shutil.which("moody")
    if not found:
        for kind in ("release", "debug"):
            if (ROOT / ".build" / kind / "moody").exists():
                found = str(ROOT / ".build" / kind / "moody")
                break
    if not found:
        pytest.skip("no moody: build it, or set $MOODY")
    os.environ["MOODY"] = found
    return found


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    """Sample photos with whole seconds, one of them cut short."""
    folder = tmp_path_factory.mktemp("photos")
    names = sorted(path for path in (ROOT / "Samples/Photos").iterdir() if path.suffix in (".jpg", ".png") and path.stem != "broken")[:5]
    for number, path in enumerate(names):
        shutil.copy(path, folder / path.name)
    (folder / "cut.jpg").write_bytes(names[0].read_bytes()[:5000])
    for number, path in enumerate(sorted(folder.iterdir())):
        os.utime(path, (1400000000 + number, 1400000000 + number))
    return folder
