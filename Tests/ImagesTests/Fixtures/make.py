#!/usr/bin/env python3
"""Makes the fixtures and the numbers the tests hold Images against, with decoders that are not ours.

    python3 -m venv venv && venv/bin/pip install pillow numpy pypng
    venv/bin/python Tests/ImagesTests/Fixtures/make.py DATA      # needs exiftool; DATA: the shared data folder

Pillow decodes JPEG and applies ICC profiles (perceptual), pypng decodes PNG, numpy does the gamma arithmetic,
exiftool reads metadata. Written on 2026-11-21 with Pillow 13.0.0, pypng 0.20220715.0, exiftool 12.57.
"""
import io, json, os, pathlib, shutil, subprocess, sys

import numpy as np
import png
from PIL import Image, ImageCms, ImageOps

DATA = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(__file__).parent
SRGB = ImageCms.createProfile("sRGB")


def srgb_stored(light):
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def png_pixels(path):
    """8-bit sRGB R G B A, gAMA applied as Images does: unless it is 1/2.2 (which stands for sRGB)."""
    file = path.read_bytes()
    if b"sBIT" in file:  # pypng would round to that many bits
        at = file.index(b"sBIT") - 4
        file = file[:at] + file[at + 12 + int.from_bytes(file[at:at + 4], "big"):]
    width, height, rows, info = png.Reader(bytes=file).asDirect()
    planes = info["planes"]
    pixels = np.array([list(row) for row in rows], dtype=np.float64).reshape(height, width, planes)
    pixels /= 2 ** info["bitdepth"] - 1
    alpha = pixels[..., -1:] if planes in (2, 4) else np.ones((height, width, 1))
    color = pixels[..., :3] if planes >= 3 else np.repeat(pixels[..., :1], 3, axis=2)
    pixels = np.concatenate([color, alpha], axis=2)
    gamma = info.get("gamma")
    has_srgb = b"sRGB" in path.read_bytes()[:200]
    if gamma and not has_srgb and abs(gamma - 1 / 2.2) > 0.005:
        pixels[..., :3] = srgb_stored(pixels[..., :3] ** (1 / gamma))
    return np.floor(pixels * 255 + 0.5).astype(np.uint8)


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def seen(path):
    """The picture upright, sRGB, R G B, as Pillow sees it."""
    image = Image.open(path)
    profile = image.info.get("icc_profile")
    image = ImageOps.exif_transpose(image)
    alpha = image.getchannel("A") if image.mode in ("LA", "RGBA") else None
    if image.mode == "LA":
        image = image.convert("L")
    if profile:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if image.mode == "RGBA":
            image = image.convert("RGB")
        if source.profile.xcolor_space.strip() == {"L": "GRAY"}.get(image.mode, image.mode):
            image = ImageCms.profileToProfile(image, source, SRGB, outputMode="RGB", renderingIntent=0)
        else:
            print("profile does not fit:", path)
    elif image.mode == "CMYK":
        inks = 255 - np.asarray(image, dtype=np.float64)
        image = Image.fromarray((inks[..., :3] * inks[..., 3:] / 255 + 0.5).astype(np.uint8))
    return image.convert("RGB"), alpha


def grid(path):
    """Means of 4 x 3 tiles."""
    image, alpha = seen(path)
    tiles = np.asarray(image.resize((4, 3), Image.Resampling.BOX))
    return {"size": list(image.size), "grid": tiles.reshape(-1, 3).tolist()}


def synthetic(width=160, height=120):
    """Hues across, lightness down, kept inside every gamut used: no color more than half saturated."""
    y, x = np.mgrid[0:height, 0:width]
    hue = x / width * 2 * np.pi
    value = 60 + 140 * y / height
    channels = [value + 45 * np.cos(hue - shift) for shift in (0, 2.1, 4.2)]
    return Image.fromarray(np.clip(np.stack(channels, -1), 0, 255).astype(np.uint8))


def make_icc():
    folder = HERE / "icc"
    folder.mkdir(exist_ok=True)
    picture = synthetic()
    picture.save(folder / "untagged.jpg", quality=95, subsampling=0)
    names = {
        "display-p3": "DisplayP3-v4", "adobe-rgb": "AdobeCompat-v4", "prophoto": "ProPhoto-v4",
        "rec2020": "Rec2020-v4", "srgb": "sRGB-v4", "srgb-v2": "sRGB-v2-magic",
    }
    for name, profile in names.items():
        icc = (DATA / f"icc/profiles/{profile}.icc").read_bytes()
        to = ImageCms.ImageCmsProfile(io.BytesIO(icc))
        converted = ImageCms.profileToProfile(picture, SRGB, to, renderingIntent=1)
        converted.save(folder / f"{name}.jpg", quality=95, subsampling=0, icc_profile=icc)
        if name == "display-p3":
            converted.save(folder / f"{name}.png", icc_profile=icc)
    gray = picture.convert("L")
    icc = (DATA / "icc/profiles/sGrey-v4.icc").read_bytes()
    gray.save(folder / "gray-sgrey.jpg", quality=95, icc_profile=icc)
    inks = picture.convert("CMYK")
    inks.save(folder / "cmyk-untagged.jpg", quality=95)
    shutil.copy(DATA / "icc/ycck-jpeg/src-pillow--pil_sample_cmyk.jpg", folder / "ycck.jpg")
    shutil.copy(DATA / "icc/rgb-jpeg/src-golang-1.24--video-001.rgb.jpeg", folder / "rgb.jpg")


COPIES = {
    "jpeg/testorig.jpg": "hostile/base-testorig.jpg",
    "jpeg/progressive.jpg": "hostile/made/odd-valid/progressive.jpg",
    "jpeg/restart.jpg": "hostile/made/odd-valid/restart.jpg",
    "jpeg/sub-420.jpg": "hostile/made/odd-valid/sub-420.jpg",
    "jpeg/sub-422.jpg": "hostile/made/odd-valid/sub-422.jpg",
    "jpeg/sub-444.jpg": "hostile/made/odd-valid/sub-444.jpg",
    "jpeg/q1.jpg": "hostile/made/odd-valid/q1.jpg",
    "jpeg/gray.jpg": "hostile/made/odd-valid/gray-gradient.jpg",
    "jpeg/arithmetic.jpg": "hostile/made/odd-valid/arithmetic.jpg",
    "jpeg/410-progressive.jpg": "hostile/golang/video-001.q50.410.progressive.jpeg",
    "jpeg/411-progressive.jpg": "hostile/golang/video-001.q50.411.progressive.jpeg",
    "jpeg/440-progressive.jpg": "hostile/golang/video-001.q50.440.progressive.jpeg",
    "jpeg/separate-dc-progressive.jpg": "hostile/golang/video-001.separate.dc.progression.progressive.jpeg",
    "jpeg/gray-2x2-progressive.jpg": "hostile/golang/video-005.gray.q50.2x2.progressive.jpeg",
    "exif/original-gps.jpg": "gps/with-gps/immich/datetimeoriginal-gps.jpg",
    "exif/gps-place-xmp-date.jpg": "gps/with-gps/immich/gps-datetime.jpg",
    "exif/iphone-xr.jpg": "gps/with-gps/mei/Issue 508.jpg",
    "exif/kodak-south.jpg": "gps/with-gps/exifr/issue-exifr-36.jpg",
    "exif/iphone-4s.jpg": "gps/with-gps/src-golang-github-rwcarlsen-goexif/has-lens-info.jpg",
    "exif/nikon-fraction-offset.jpg": "gps/dates-only/src-hugo/nikon_nef_fraction.jpg",
    "exif/png-exif.png": "gps/with-gps/exifr/png_with_exif_and_gps.png",
}


def metadata(path):
    tags = ["DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal", "CreateDate", "GPSLatitude", "GPSLongitude",
            "Make", "Model", "Orientation"]
    command = ["exiftool", "-j", "-n", *[f"-{'Composite' if 'GPS' in tag else 'EXIF'}:{tag}" for tag in tags],
               str(path)]
    read = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)[0]
    # A place in maker notes, and one as text that exiftool itself misreads: Images leaves both out.
    odd = "FLIR" in path.name or path.name == "geodegrees_as_string.jpg"
    return {key: value for key, value in read.items() if key in tags and not (odd and "GPS" in key)}


def main():
    for name, source in COPIES.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(DATA / source, HERE / name)
    (HERE / "orientation").mkdir(exist_ok=True)
    for k in range(1, 9):
        shutil.copyfile(DATA / f"orientation/exifr/f{k}t.jpg", HERE / f"orientation/f{k}t.jpg")
    (HERE / "pngsuite").mkdir(exist_ok=True)
    for path in DATA.glob("pngsuite/*"):
        if path.name not in ("PngSuite.png", "README"):
            shutil.copyfile(path, HERE / "pngsuite" / path.name)
    make_icc()
    big = Image.open(HERE / "jpeg/testorig.jpg").resize((640, 420), Image.Resampling.BICUBIC)
    big.save(HERE / "jpeg/restart-420.jpg", quality=60, restart_marker_blocks=7)
    big.save(HERE / "jpeg/optimized-420.jpg", quality=60, optimize=True)
    big.save(HERE / "jpeg/progressive-420.jpg", quality=60, progressive=True)
    # One pair of Huffman tables for all components: a stream that falls into step may do so at another component.
    big.resize((320, 210)).save(HERE / "jpeg/rgb-shared-tables.jpg", quality=80, keep_rgb=True)
    big.crop((0, 0, 333, 251)).save(HERE / "jpeg/odd-size-422.jpg", quality=85, subsampling=1)

    golden = {"pngsuite": {}, "grids": {}, "shared": {}, "metadata": {}, "resized": {}}
    for path in sorted((HERE / "pngsuite").glob("*.png")):
        if not path.name.startswith("x"):
            pixels = png_pixels(path)
            golden["pngsuite"][path.name] = [pixels.shape[1], pixels.shape[0], fnv(pixels.tobytes())]
    for folder in ("icc", "orientation", "jpeg"):
        for path in sorted((HERE / folder).iterdir()):
            golden["grids"][f"{folder}/{path.name}"] = grid(path)
    for folder in ("icc", "orientation", "photos", "gps"):
        for path in sorted((DATA / folder).rglob("*")):
            if path.suffix.lower() in (".jpg", ".jpeg", ".png"):
                name = str(path.relative_to(DATA))
                golden["shared"][name] = grid(path)
                if folder == "gps":
                    golden["shared"][name]["metadata"] = metadata(path)
    for path in sorted((HERE / "exif").iterdir()):
        golden["metadata"][path.name] = metadata(path)

    # Resizing: Pillow's own bicubic (Catmull-Rom) on linear light, one channel at a time.
    image = np.asarray(Image.open(HERE / "icc/display-p3.png").convert("RGB"), dtype=np.float64) / 255
    light = np.where(image <= 0.04045, image / 12.92, ((image + 0.055) / 1.055) ** 2.4)
    for size in ((80, 60), (50, 38), (7, 5)):
        channels = [
            np.asarray(Image.fromarray(light[..., c].astype(np.float32)).resize(size, Image.Resampling.BICUBIC))
            for c in range(3)
        ]
        stored = np.floor(np.clip(srgb_stored(np.stack(channels, -1)), 0, 1) * 255 + 0.5).astype(int)
        golden["resized"][str(size[0])] = {"height": size[1], "rgb": stored.reshape(-1).tolist()}
    with open(HERE / "golden.json", "w") as out:
        json.dump(golden, out, separators=(",", ":"))


main()
