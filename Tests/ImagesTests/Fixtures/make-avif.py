#!/usr/bin/env python3
"""Makes the fixtures of avif/: four flat colors, as the options of avifenc write them, and colors.json, which is what
Pillow sees in the middle of the four quarters.

    apt-get install libavif-bin; pip install pillow
    python3 Tests/ImagesTests/Fixtures/make-avif.py

Written on 2026-11-28 with libavif 0.11.1 and Pillow 12. avifdec and Pillow see the colors within 3 levels in each.
"""
import json, pathlib, subprocess, tempfile

from PIL import Image

OUT = pathlib.Path(__file__).parent / "avif"
COLORS = [(240, 210, 40), (200, 30, 40), (40, 160, 60), (30, 60, 190)]


def scene(width, height, alpha):
    picture = Image.new("RGBA", (width, height))
    for y in range(height):
        for x in range(width):
            color = COLORS[(2 * y >= height) * 2 + (2 * x >= width)]
            picture.putpixel((x, y), color + (160 if alpha and 4 * x >= 3 * width else 255,))
    return picture if alpha else picture.convert("RGB")


def encode(name, *options, sources):
    subprocess.run(
        ["avifenc", "-s", "8", "--min", "0", "--max", "0", "--minalpha", "0", "--maxalpha", "0", *options, *sources,
         OUT / f"{name}.avif"], check=True, capture_output=True)


with tempfile.TemporaryDirectory() as folder:
    plain, clear = f"{folder}/plain.png", f"{folder}/clear.png"
    scene(96, 64, False).save(plain)
    scene(96, 64, True).save(clear)
    for chroma, depth, colors, matrix, kind in [
        ("420", 8, "limited", 1, "plain"), ("420", 8, "full", 6, "plain"), ("444", 8, "limited", 6, "alpha"),
        ("422", 10, "limited", 9, "plain"), ("420", 10, "full", 2, "alpha"), ("444", 12, "limited", 5, "multiplied"),
        ("420", 12, "limited", 1, "alpha"), ("444", 8, "full", 0, "plain"), ("444", 10, "limited", 0, "alpha"),
        ("400", 8, "limited", 6, "plain"), ("400", 10, "limited", 6, "alpha"), ("422", 8, "full", 6, "multiplied"),
    ]:
        encode(f"{chroma}-{depth}-{colors}-{matrix}-{kind}", "-y", chroma, "-d", str(depth), "-r", colors, "--cicp",
               f"1/13/{matrix}", *(["-p"] if kind == "multiplied" else []),
               sources=[plain if kind == "plain" else clear])
    encode("turned", "-r", "limited", "--irot", "1", "--imir", "1", sources=[plain])
    encode("cropped", "-y", "444", "--clap", "40,1,64,1,-20,1,0,1", sources=[plain])
    large = scene(256, 128, True)
    cells = []
    for x in (0, 128):
        cells.append(f"{folder}/cell{x}.png")
        large.crop((x, 0, x + 128, 128)).save(cells[-1])
    encode("grid", "-r", "limited", "--grid", "2x1", sources=cells)

colors = {}
for path in sorted(OUT.glob("4*.avif")):
    with Image.open(path) as picture:
        pixels = picture.convert("RGBA")
        colors[path.name] = [pixels.getpixel(at) for at in [(12, 16), (60, 16), (12, 48), (60, 48)]]
(OUT / "colors.json").write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in colors.items()) + "\n}\n")
