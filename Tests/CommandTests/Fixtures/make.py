#!/usr/bin/env python3
"""Makes the tiny photos of the tests of the command: two or four colors in blocks of 8 x 8 pixels, with a date."""
import sys
from PIL import Image

PHOTOS = {
    "harbour.jpg": ("2024:06:28 14:03:07", ["#1f4e79", "#1f4e79", "#1f4e79", "#e8a33d"]),
    "forest.jpg": ("2024:06:29 09:00:00", ["#1e5631", "#1e5631", "#8a5a2b", "#d9e4c8"]),
    "desert.jpg": ("2023:01:02 03:04:05", ["#d9a066", "#d9a066", "#7fb2e5", "#7fb2e5"]),
}
for name, (date, colors) in PHOTOS.items():
    image = Image.new("RGB", (16, 16))
    for index, color in enumerate(colors):
        image.paste(color, (index % 2 * 8, index // 2 * 8, index % 2 * 8 + 8, index // 2 * 8 + 8))
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = date
    image.save(sys.path[0] + "/" + name, quality=90, subsampling=0, exif=exif)
Image.new("RGB", (8, 8), "#336699").save(sys.path[0] + "/slate.png")
