#!/usr/bin/env python3
"""Makes the fixtures of jxl/: four flat colors, as cjxl and Pillow's plugin write them, and colors.json,
which is what Pillow and djxl see in the middle of the four quarters where they agree within 3 levels.

    apt-get install libjxl-tools; pip install pillow pillow-jxl-plugin imagecodecs brotli
    python3 Tests/ImagesTests/Fixtures/make-jxl.py

Written on 2026-11-28 with libjxl 0.7.0, Pillow 13.0, and pillow-jxl-plugin 1.3.8 (libjxl 0.11). Gray and the colors of
profiles are converted by littlecms.
"""

import io, json, pathlib, struct, subprocess, tempfile

import brotli, imagecodecs, numpy, pillow_jxl
from PIL import Image, ImageCms

OUT = pathlib.Path(__file__).parent / "jxl"
ICC = pathlib.Path(__file__).parent / "icc"
COLORS = numpy.array([(240, 210, 40), (200, 30, 40), (40, 160, 60), (30, 60, 190)], numpy.uint8)
PLACES = [(12, 16), (60, 16), (12, 48), (60, 48)]


def scene():
    picture = numpy.zeros((64, 96, 3), numpy.uint8)
    for quarter in range(4):
        x, y = quarter % 2 * 48, quarter // 2 * 32
        picture[y : y + 32, x : x + 48] = COLORS[quarter]
    return picture


def light(stored):
    stored = stored.astype(numpy.float32) / 255
    return numpy.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4).astype("<f4")


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


def exif(orientation):
    """Model, orientation, DateTimeOriginal."""
    main = struct.pack("<2sHIH", b"II", 42, 8, 3) + struct.pack("<HHII", 0x110, 2, 4, 0x6D6143)
    main += struct.pack("<HHIHH", 0x112, 3, 1, orientation, 0) + struct.pack("<HHII", 0x8769, 4, 1, 50)
    return main + bytes(4) + struct.pack("<HHHIII", 1, 0x9003, 2, 20, 68, 0) + b"2019:08:07 06:05:04\0"


def container(codestream, *boxes):
    start = bytes.fromhex("0000000c4a584c200d0a870a") + box(b"ftyp", b"jxl \0\0\0\0jxl ")
    return start + b"".join(boxes[:1]) + box(b"jxlc", codestream) + b"".join(boxes[1:])


def seen(path, folder):
    """What two decoders of their own see."""
    found = []
    # djxl 0.7 writes no PNG of floating point, and none of 16 bits that is right.
    names = [path]
    if "bits" not in path.stem and "light" not in path.stem and path.stem != "linear-lossless":
        subprocess.run(["djxl", path, f"{folder}/seen.png", "--quiet"], check=True, capture_output=True)
        names.append(f"{folder}/seen.png")
    for name in names:
        with Image.open(name) as picture:
            alpha = picture.convert("RGBA").getchannel("A")
            profile = picture.info.get("icc_profile")
            color = picture.convert("L" if picture.mode in ("L", "LA") else "RGB")
            if profile:
                color = ImageCms.profileToProfile(
                    color,
                    ImageCms.ImageCmsProfile(io.BytesIO(profile)),
                    ImageCms.createProfile("sRGB"),
                    renderingIntent=1,
                    outputMode="RGB",
                )
            color = color.convert("RGB")
            found.append([color.getpixel(at) + (alpha.getpixel(at),) for at in PLACES])
    worst = max(abs(a - b) for one, two in zip(found[0], found[-1]) for a, b in zip(one, two))
    assert worst <= 3, (path, found)
    return found[0]


OUT.mkdir(exist_ok=True)
with tempfile.TemporaryDirectory() as folder:
    plain = Image.fromarray(scene())
    plain.save(f"{folder}/plain.png")
    plain.convert("L").save(f"{folder}/gray.png")
    clear = numpy.dstack([scene(), numpy.full((64, 96), 255, numpy.uint8)])
    clear[:, 48:, 3] = 160
    Image.fromarray(clear).save(f"{folder}/alpha.png")
    open(f"{folder}/wide.png", "wb").write(imagecodecs.png_encode(scene().astype(numpy.uint16) * 257))
    for bits in (10, 12):
        samples = (scene() / 255 * (2**bits - 1) + 0.5).astype(">u2")
        open(f"{folder}/{bits}.ppm", "wb").write(b"P6 96 64 %d\n" % (2**bits - 1) + samples.tobytes())
    open(f"{folder}/light.pfm", "wb").write(b"PF\n96 64\n-1.0\n" + light(scene())[::-1].tobytes())
    plain.save(f"{folder}/photo.jpg", quality=95, subsampling=0)
    turned = [plain.transpose(turn) for turn in (Image.Transpose.ROTATE_90, Image.Transpose.FLIP_LEFT_RIGHT)]
    plain.save(f"{folder}/film.png", save_all=True, append_images=turned[1:], duration=100)
    with Image.open(ICC / "adobe-rgb.jpg") as tagged:
        plain.save(f"{folder}/adobe.png", icc_profile=tagged.info["icc_profile"])

    def encode(name, source, *options):
        subprocess.run(
            ["cjxl", f"{folder}/{source}", OUT / f"{name}.jxl", "--quiet", "-e", "3", *options],
            check=True,
            capture_output=True,
        )

    for name, source in [
        ("plain", "plain.png"),
        ("alpha", "alpha.png"),
        ("gray", "gray.png"),
        ("16-bits", "wide.png"),
        ("light", "light.pfm"),
        ("adobe", "adobe.png"),
    ]:
        encode(f"{name}-lossless", source, "-d", "0")
        encode(f"{name}-lossy", source, "-d", "1")
    for bits in (10, 12):
        pixels = (scene() / 255 * (2**bits - 1) + 0.5).astype(numpy.uint16)
        (OUT / f"{bits}-bits.jxl").write_bytes(
            imagecodecs.jpegxl_encode(pixels, lossless=True, bitspersample=bits)
        )
    for name, space in [
        ("p3", "RGB_D65_DCI_Rel_SRG"),
        ("rec709", "RGB_D65_SRG_Rel_709"),
        ("linear", "RGB_D65_SRG_Rel_Lin"),
        ("gamma", "RGB_D65_SRG_Rel_g0.45455"),
        ("dci", "RGB_DCI_DCI_Rel_DCI"),
    ]:
        encode(
            f"{name}-lossless",
            "wide.png" if name == "linear" else "plain.png",
            "-d",
            "0",
            "-x",
            f"color_space={space}",
        )
        encode(f"{name}-lossy", "plain.png", "-d", "1", "-x", f"color_space={space}")
    encode("gray-gamma", "gray.png", "-d", "0", "-x", "color_space=Gra_D65_Rel_g0.5")
    encode("progressive", "plain.png", "-d", "1", "-p")
    encode("modular-lossy", "plain.png", "-d", "1", "-m", "1")
    encode("multiplied", "alpha.png", "-d", "0", "--premultiply=1")
    encode("from-jpeg", "photo.jpg")
    encode("film", "film.png", "-d", "0")
    colors = {
        path.name: seen(path, folder)
        for path in sorted(OUT.glob("*.jxl"))
        if path.stem not in ("film", "pq", "hlg", "metadata", "packed", "wide")
        and not path.stem.startswith("turned")
    }
    for name, transfer in (("pq", "PeQ"), ("hlg", "HLG")):
        encode(name, "plain.png", "-d", "0", "-x", f"color_space=RGB_D65_202_Rel_{transfer}")
    # The orientation of EXIF is put into the codestream.
    for orientation in range(1, 9):
        note = Image.Exif()
        note[0x112] = orientation
        plain.save(f"{folder}/turned.jpg", exif=note.tobytes(), quality=90)
        encode(f"turned-{orientation}", "turned.jpg", "-j", "0", "-d", "3")
    codestream = (OUT / "plain-lossless.jxl").read_bytes()
    body = bytes(4) + exif(6)
    xmp = (
        b'<x:xmpmeta><rdf:Description exif:GPSLatitude="48,12,30N" exif:GPSLongitude="16,22.5E"/></x:xmpmeta>'
    )
    (OUT / "metadata.jxl").write_bytes(container(codestream, box(b"Exif", body), box(b"xml ", xmp)))
    (OUT / "packed.jxl").write_bytes(
        container(
            codestream,
            box(b"brob", b"xml " + brotli.compress(xmp)),
            box(b"brob", b"Exif" + brotli.compress(body)),
        )
    )
    # 300 rows: more than a group.
    Image.fromarray(numpy.repeat(numpy.repeat(scene(), 6, 0), 6, 1)).save(f"{folder}/wide.png")
    encode("wide", "wide.png", "-d", "0")
(OUT / "colors.json").write_text(
    "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in colors.items()) + "\n}\n"
)
