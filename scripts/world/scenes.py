"""Pictures with known colors, and what is wanted of each file that is made of them."""

import json, pathlib, subprocess

import numpy
from PIL import Image

FLAT = [(240, 210, 40), (200, 30, 40), (40, 160, 60), (30, 60, 190)]


def flat(width=96, height=96):
    """Four flat colors."""
    picture = numpy.zeros((height, width, 3), numpy.uint8)
    for quarter, color in enumerate(FLAT):
        x, y = quarter % 2 * width // 2, quarter // 2 * height // 2
        picture[y : y + height // 2, x : x + width // 2] = color
    return picture


def gradient(width=128, height=96):
    """From dark to light across, from red to blue down."""
    x = numpy.linspace(0, 1, width)[None, :]
    y = numpy.linspace(0, 1, height)[:, None]
    return numpy.stack([255 * x * (1 - y) + 0 * y, 255 * x * 0.6 + 0 * y, 255 * x * y], -1).astype(
        numpy.uint8
    )


def photo(root):
    with Image.open(root / "Samples/Photos/lantern.jpg") as picture:
        return numpy.asarray(picture.convert("RGB").resize((160, 120), Image.Resampling.BOX))


def with_alpha(picture):
    """The right quarter lets light through."""
    alpha = numpy.full(picture.shape[:2], 255, numpy.uint8)
    alpha[:, picture.shape[1] * 3 // 4 :] = 160
    return numpy.dstack([picture, alpha])


def gray(picture):
    return numpy.asarray(Image.fromarray(picture).convert("L"))


class World:
    """A folder of files, and a line for each: kind, property, scene, what was done to it."""

    def __init__(self, folder, root):
        self.folder = pathlib.Path(folder)
        self.files = self.folder / "files"
        self.work = self.folder / "work"
        for path in (self.files, self.work):
            path.mkdir(parents=True, exist_ok=True)
        self.root = pathlib.Path(root)
        self.lines = {}
        self.missing = {}
        self.scenes = {"flat": flat(), "gradient": gradient(), "photo": photo(self.root)}
        self.alphas = {name: with_alpha(scene) for name, scene in self.scenes.items()}
        for name, scene in self.scenes.items():
            Image.fromarray(scene).save(self.work / f"{name}.png")
            Image.fromarray(self.alphas[name]).save(self.work / f"{name}-alpha.png")
            Image.fromarray(gray(scene)).save(self.work / f"{name}-gray.png")
            for end in ("ppm", "pgm"):
                Image.fromarray(scene if end == "ppm" else gray(scene)).save(self.work / f"{name}.{end}")

    def add(self, kind, name, end, about, scene=None, **more):
        """The path of a new file. `scene`: of a file without loss, what it shows."""
        name = f"{kind}-{name}.{end}".replace(" ", "_").replace("/", "_")
        assert name not in self.lines, name
        self.lines[name] = {"kind": kind, "about": about, "scene": scene, **more}
        return self.files / name

    def put(self, kind, name, end, about, contents, scene=None, **more):
        """A new file with these bytes, or those that a function gives or writes."""
        path = self.add(kind, name, end, about, scene, **more)
        try:
            data = contents(path) if callable(contents) else contents
            if isinstance(data, (bytes, bytearray)):
                path.write_bytes(data)
        except Exception as error:
            self.skip(path, f"{type(error).__name__}: {error}")

    def run(self, kind, name, end, about, *command, scene=None, **more):
        """A new file by a program; OUT in its arguments is the file."""
        path = self.add(kind, name, end, about, scene, **more)
        command = [str(path) if word == "OUT" else str(word) for word in command]
        try:
            run = subprocess.run(command, capture_output=True, timeout=60, cwd=self.work)
            if "STDOUT" in more and run.returncode == 0:
                path.write_bytes(run.stdout)
            if run.returncode != 0 or not path.exists():
                self.skip(
                    path, f"{command[0]}: {(run.stderr or run.stdout)[-80:].decode(errors='replace').strip()}"
                )
        except (OSError, subprocess.TimeoutExpired) as error:
            self.skip(path, f"{command[0]}: {error}")

    def skip(self, path, reason):
        """A file that the writer at hand cannot make."""
        path.unlink(missing_ok=True)
        del self.lines[path.name]
        self.missing[path.name] = reason

    def save(self):
        (self.folder / "world.json").write_text(json.dumps(self.lines, indent=0))
        (self.folder / "missing.json").write_text(json.dumps(self.missing, indent=0))
