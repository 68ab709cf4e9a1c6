"""Palettes of files, bytes and arrays; the oracle is the command, and Pillow as the writer."""

import importlib.util
import io
import json
import os
import subprocess
import sys

import pytest

import moody as package

needs_pillow = pytest.mark.skipif(not importlib.util.find_spec("PIL") or not importlib.util.find_spec("numpy"),
                                  reason="Pillow and NumPy")


def test_files_bytes_and_folders_are_what_the_command_says(moody, photos):
    run = subprocess.run([moody, "extract", "--format", "json", "-k", "4", str(photos)], capture_output=True)
    expected = [json.loads(line) for line in run.stdout.splitlines()]
    found = list(package.palettes(photos, count=4))
    assert [(one.path, one.error) for one in found] == [(one["path"], one.get("error")) for one in expected]
    assert sum(one.error is not None for one in found) == 1
    for one, record in zip(found, expected):
        assert [color.hex for color in one] == [color["hex"] for color in record.get("colors", ())]
        if one.error is None:
            assert package.palette(one.path, count=4) == one
            with open(one.path, "rb") as file:
                assert package.palette(file.read(), count=4).colors == one.colors


@needs_pillow
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
def test_arrays_are_the_pictures_that_pillow_writes(moody, photos, mode):
    import numpy
    from PIL import Image

    path = next(path for path in sorted(photos.iterdir()) if path.name != "cut.jpg")
    image = Image.open(path).convert(mode).resize((200, 150))
    written = io.BytesIO()
    image.save(written, "PNG")
    expected = package.palette(written.getvalue())
    assert package.palette(image) == expected
    assert package.palette(numpy.asarray(image)) == expected
    # Not contiguous in memory.
    flipped = numpy.asarray(image)[:, ::-1]
    assert package.palette(flipped).width == 200
    assert package.palette(numpy.ascontiguousarray(flipped)) == package.palette(flipped)


@needs_pillow
def test_two_halves_are_two_colors_with_their_shares(moody):
    import numpy

    halves = numpy.zeros((40, 80, 3), numpy.uint8)
    halves[:, :60] = (208, 32, 48)
    halves[:, 60:] = (16, 64, 160)
    found = package.palette(halves, count=2)
    assert [(color.rgb, color.share) for color in found] == [((208, 32, 48), 0.75), ((16, 64, 160), 0.25)]


def test_what_is_no_photo_is_said(moody, photos, tmp_path):
    with pytest.raises(package.PhotoError, match="cut.jpg: file ends"):
        package.palette(photos / "cut.jpg")
    with pytest.raises(package.PhotoError, match="No such file"):
        package.palette(tmp_path / "none.jpg")
    with pytest.raises(package.PhotoError, match="a folder"):
        package.palette(tmp_path)
    with pytest.raises(package.PhotoError):
        package.palette(b"no photo")
    with pytest.raises(TypeError):
        package.palette(3)
    with pytest.raises(RuntimeError, match="--colors|-k"):
        package.palette(photos / "cut.jpg", count=99)
    with pytest.raises(package.NoCommand, match="nosuch"):
        package.palette(photos / "cut.jpg", command="/nosuch/moody")
    assert list(package.palettes([])) == []


def test_a_file_called_as_an_option_is_a_file(moody, photos, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = next(path for path in sorted(photos.iterdir()) if path.name != "cut.jpg").read_bytes()
    for name in ("-", "-q", "--help"):
        with open(os.path.join(".", name), "wb") as file:
            file.write(whole)
        assert len(package.palette(name)) == 5


def test_who_takes_the_first_alone_leaves_no_process(moody, photos):
    found = package.palettes([photos] * 200)
    next(found)
    found.close()
    left = subprocess.run(["pgrep", "-f", "extract --format json -q -k 5"], capture_output=True)
    assert left.stdout == b""


def test_the_script_is_the_command(moody):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    run = subprocess.run([sys.executable, "-m", "moody", "--version"], capture_output=True, env=environment)
    assert run.stdout == subprocess.run([moody, "--version"], capture_output=True).stdout
    environment.update(MOODY="/nosuch/moody")
    run = subprocess.run([sys.executable, "-m", "moody", "--version"], capture_output=True, env=environment)
    assert run.returncode == 2 and b"/nosuch/moody" in run.stderr


@needs_pillow
@pytest.mark.parametrize("mode", ["P", "CMYK", "YCbCr", "HSV", "1", "LA", "I;16"])
def test_images_of_pillow_have_their_colors(moody, mode):
    from PIL import Image

    image = Image.new("RGB", (60, 40), (220, 20, 20))
    image.paste((20, 20, 220), (30, 0, 60, 40))
    converted = image.convert("L").convert("I;16") if mode == "I;16" else image.convert(mode)
    found = package.palette(converted, count=2)
    expected = package.palette(converted.convert("RGB"), count=2)
    assert [color.hex for color in found] == [color.hex for color in expected] and len(found) > 0


def test_scripts_of_the_package_do_not_call_each_other(moody, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        script = tmp_path / name / "moody"
        script.write_text(f"#!{sys.executable}\nfrom moody.command import main\nmain()\n")
        script.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "MOODY"}
    environment.update(PYTHONPATH=os.pathsep.join(sys.path), PATH=f"{tmp_path}/one:{tmp_path}/two:/usr/bin:/bin")
    run = subprocess.run([tmp_path / "one/moody", "--version"], capture_output=True, env=environment, timeout=20)
    assert run.returncode == 2 and b"no moody" in run.stderr


def test_what_is_no_path_is_said(moody):
    for path in ("", "a.jpg\0b.jpg"):
        with pytest.raises(ValueError):
            list(package.palettes([path]))
    with pytest.raises(RuntimeError, match="no JSON"):
        package.palette(b"no photo", options=["--format", "csv"])
