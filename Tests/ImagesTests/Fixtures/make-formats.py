#!/usr/bin/env python3
"""Makes the fixtures of WebP, HEIC, AVIF, TIFF, GIF and RAW, and golden-formats.json, with decoders that are not ours.

    apt-get install imagemagick webp libtiff-tools libimage-exiftool-perl
    python3 -m venv venv && venv/bin/pip install pillow pillow-heif rawpy numpy
    venv/bin/python Tests/ImagesTests/Fixtures/make-formats.py DATA      # DATA: the shared data folder
    venv/bin/python Tests/ImagesTests/Fixtures/make-formats.py DATA ios18-grid.heic    # these alone

Pillow decodes WebP, AVIF, TIFF and GIF, pillow-heif HEIC, rawpy finds previews, littlecms (in Pillow) applies profiles
(perceptual), numpy does nclx and YCbCr arithmetic, exiftool reads metadata.
Written on 2026-11-21 with Pillow 13.0.0, pillow-heif 1.8.1, rawpy 0.28.0, ImageMagick 6.9.11, exiftool 12.57;
those of make_later on 2026-11-22.
"""
import io, json, pathlib, shutil, struct, subprocess, sys

import numpy as np
import pillow_heif
import rawpy
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

pillow_heif.register_heif_opener()
DATA = pathlib.Path(sys.argv[1])
HERE = pathlib.Path(__file__).parent
OUT = HERE / "formats"
SRGB = ImageCms.createProfile("sRGB")
OTHERS = DATA / "other-formats"


def run(*command):
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def profile(name):
    return (DATA / f"icc/profiles/{name}.icc").read_bytes()


def synthetic(width=64, height=48):
    """Hues across, lightness down: no two of the eight orientations look the same. Inside every gamut used."""
    y, x = np.mgrid[0:height, 0:width]
    hue, value = x / width * 1.7 * np.pi, 60 + 140 * y / height
    channels = [value + 45 * np.cos(hue - shift) for shift in (0, 2.1, 4.2)]
    return Image.fromarray(np.clip(np.stack(channels, -1), 0, 255).astype(np.uint8))


def exif(orientation=1):
    tags = Image.Exif()
    tags[0x10F], tags[0x110], tags[0x112] = "Moody", "Pinhole", orientation
    tags.get_ifd(0x8769).update({0x9003: "2024:05:06 07:08:09", 0x9011: "+02:00"})
    tags.get_ifd(0x8825).update({1: "N", 2: (46.0, 30.0, 0.0), 3: "E", 4: (7.0, 15.0, 0.0)})
    return tags


def converted(picture, name):
    return ImageCms.profileToProfile(
        picture, SRGB, ImageCms.ImageCmsProfile(io.BytesIO(profile(name))), renderingIntent=1)


def with_alpha(picture):
    alpha = Image.fromarray(np.tile(np.linspace(40, 255, picture.width).astype(np.uint8), (picture.height, 1)))
    result = picture.copy()
    result.putalpha(alpha)
    return result


def make_webp(picture):
    picture.save(OUT / "lossy.webp", quality=90, exif=exif(6))
    converted(picture, "DisplayP3-v4").save(OUT / "display-p3.webp", lossless=True, icc_profile=profile("DisplayP3-v4"))
    with_alpha(picture).save(OUT / "alpha-lossy.webp", quality=90)
    with_alpha(picture).save(OUT / "alpha-lossless.webp", lossless=True)
    other = ImageOps.invert(picture)
    picture.save(OUT / "animated.webp", save_all=True, append_images=[other], duration=100, lossless=True)
    # A frame that begins at 16, 8 of a canvas of 80 x 56, which another frame fills.
    frames = [OUT / "1.webp", OUT / "2.webp"]
    picture.save(frames[0], lossless=True)
    other.resize((80, 56)).save(frames[1], lossless=True)
    run("webpmux", "-frame", frames[0], "+100+16+8+0+b", "-frame", frames[1], "+100+0+0+0+b", "-o",
        OUT / "animated-offset.webp")
    for frame in frames:
        frame.unlink()


def make_heif(picture):
    for orientation in range(1, 9):
        # pillow-heif writes irot and imir, and leaves the orientation in EXIF too, as phones do.
        heif = pillow_heif.from_bytes("RGB", picture.size, picture.tobytes())
        heif.info["exif"] = exif(orientation).tobytes()
        heif.save(OUT / f"orientation-{orientation}.heic", quality=90, chroma=444)
    # Only EXIF says that it is turned, and in HEIF that counts for nothing: ISO/IEC 23008-12, 6.5.10 and A.2.
    picture.save(OUT / "exif-only-orientation.heic", quality=90, chroma=444, exif=exif(6))
    picture.save(OUT / "orientation-6.avif", quality=90, subsampling="4:4:4", exif=exif(6))
    p3 = converted(picture, "DisplayP3-v4")
    p3.save(OUT / "display-p3.heic", quality=95, chroma=444, icc_profile=profile("DisplayP3-v4"))
    p3.save(OUT / "display-p3.avif", quality=95, subsampling="4:4:4", icc_profile=profile("DisplayP3-v4"))
    # Primaries 12: Display P3; transfer 13: sRGB's.
    p3.info.clear()
    pillow_heif.from_pillow(p3).save(
        OUT / "nclx-p3.heic", quality=95, chroma=444, color_primaries=12, transfer_characteristics=13,
        matrix_coefficients=6, full_range_flag=1, save_nclx_profile=True)
    with_alpha(picture).save(OUT / "alpha.avif", quality=95, subsampling="4:4:4")
    with_alpha(picture).save(OUT / "alpha.heic", quality=95, chroma=444)
    deep = (np.asarray(picture).astype(np.uint16) * 257).tobytes()
    pillow_heif.from_bytes("RGB;16", picture.size, deep).save(OUT / "ten-bits.heic", quality=95, chroma=444)
    picture.resize((200, 150)).save(OUT / "420.heic", quality=80)


def box(kind, body, full=None):
    body = (b"" if full is None else struct.pack(">I", full)) + body
    return struct.pack(">I4s", len(body) + 8, kind.encode()) + body


def coded(picture):
    """The configuration of an HEVC picture and its data, of a file with nothing else."""
    out = io.BytesIO()
    pillow_heif.from_pillow(picture).save(out, quality=90, chroma=444)
    data = out.getvalue()
    at = data.index(b"hvcC") - 4
    config = data[at:at + struct.unpack(">I", data[at:at + 4])[0]]
    return config, data[data.index(b"mdat") + 4:]


def ios18(picture):
    """A grid of two tiles with a gain map, a tone-mapped picture made of both, and descriptions of all: how iOS 18
    writes photos (structure after data/other-formats/heic/ios18-acorn.heic). libheif 1.15 refuses it."""
    config, left = coded(picture.crop((0, 0, 64, 64)))
    config2, right = coded(picture.crop((64, 0, 128, 64)))
    gain_config, gain = coded(Image.new("RGB", (64, 64), "gray"))
    exif_data = b"\0\0\0\0" + exif(6).tobytes().removeprefix(b"Exif\0\0")
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description apdi:NativeFormat="x"/></rdf:RDF></x:xmpmeta>'
    ispe = lambda w, h: box("ispe", struct.pack(">II", w, h), 0)
    pixi = box("pixi", bytes([3, 8, 8, 8]), 0)
    auxc = box("auxC", b"urn:com:apple:photo:2020:aux:hdrgainmap\0", 0)
    nclx = box("colr", b"nclx" + struct.pack(">HHHB", 1, 13, 6, 0x80))
    # 1 tile's configuration, 2 the other's, 3 tile's size, 4 pixi, 5 nclx, 6 the picture's size, 7 irot, 8 gain's, 9 auxC
    ipco = box("ipco", config + config2 + ispe(64, 64) + pixi + nclx + ispe(128, 64) + box("irot", b"\3") + gain_config + auxc)
    uses = {1: [0x81, 3, 4, 5], 2: [0x82, 3, 4, 5], 3: [6, 4, 5, 0x87], 4: [0x88, 3, 4, 9, 0x87], 5: [6, 4, 0x87]}
    ipma = box("ipma", struct.pack(">I", len(uses)) + b"".join(
        struct.pack(">HB", item, len(list_)) + bytes(list_) for item, list_ in uses.items()), 0)
    kinds = {1: b"hvc1", 2: b"hvc1", 3: b"grid", 4: b"hvc1", 5: b"tmap", 6: b"mime", 7: b"Exif"}
    iinf = box("iinf", struct.pack(">H", len(kinds)) + b"".join(
        box("infe", struct.pack(">HH4s", item, 0, kind) + b"\0" + (b"application/rdf+xml\0" if kind == b"mime" else b""),
            0x02000001 if item in (1, 2) else 0x02000000) for item, kind in kinds.items()), 0)
    refer = lambda kind, item, *to: box(kind, struct.pack(f">HH{len(to)}H", item, len(to), *to))
    iref = box("iref", refer("dimg", 3, 1, 2) + refer("auxl", 4, 3) + refer("cdsc", 6, 4) + refer("dimg", 5, 3, 4)
        + refer("cdsc", 7, 3, 5), 0)
    idat_data = [bytes([0, 0, 0, 1]) + struct.pack(">HH", 128, 64), bytes(62)]
    pieces = {1: left, 2: right, 4: gain, 6: xmp, 7: exif_data}
    ftyp = box("ftyp", b"heic\0\0\0\0mif1MiHBMiHEMiPrheictmap")
    def meta(start):
        places, at = {}, start
        for item, data in pieces.items():
            places[item], at = (0, at, len(data)), at + len(data)
        places[3], places[5] = (1, 0, 8), (1, 8, 62)
        iloc = box("iloc", b"\x44\0" + struct.pack(">H", len(places)) + b"".join(
            struct.pack(">HHHHII", item, method, 0, 1, place, size) for item, (method, place, size) in sorted(places.items())),
            0x01000000)
        return box("meta", box("hdlr", b"\0" * 4 + b"pict" + b"\0" * 13, 0) + box("pitm", struct.pack(">H", 3), 0)
            + iinf + iref + box("iprp", ipco + ipma) + box("idat", b"".join(idat_data)) + iloc, 0)
    start = len(ftyp) + len(meta(0)) + 8
    return ftyp + meta(start) + box("mdat", b"".join(pieces.values()))


def make_later(picture):
    (OUT / "ios18-grid.heic").write_bytes(ios18(synthetic(128, 64)))
    picture.convert("L").save(OUT / "gray-limited.avif", quality=95, subsampling="4:0:0", range="limited")
    picture.convert("CMYK").save(
        OUT / "cmyk-jpeg.tiff", compression="jpeg", quality=95, icc_profile=profile("CGATS001Compat-v2-micro"))
    ImageCms.profileToProfile(picture, SRGB, ImageCms.createProfile("LAB"), outputMode="LAB").save(OUT / "lab.tiff")
    # As ImageMagick and its like write EXIF into a PNG: digits in a packed text chunk.
    data = exif(6).tobytes()
    digits = data.hex()
    lines = "\n".join(digits[at:at + 72] for at in range(0, len(digits), 72))
    words = PngImagePlugin.PngInfo()
    words.add_text("Raw profile type exif", f"\nexif\n{len(data):8}\n{lines}\n", zip=True)
    picture.save(OUT / "raw-profile.png", pnginfo=words)


def make_tiff(picture):
    for orientation in range(1, 9):
        picture.save(OUT / f"orientation-{orientation}.tiff", compression="tiff_lzw", tiffinfo={274: orientation})
    plain = OUT / "uncompressed.tiff"
    picture.save(plain)
    run("exiftool", "-q", "-overwrite_original", "-EXIF:Make=Moody", "-EXIF:Model=Pinhole",
        "-EXIF:DateTimeOriginal=2024:05:06 07:08:09", "-EXIF:OffsetTimeOriginal=+02:00", "-GPSLatitude=46.5",
        "-GPSLatitudeRef=N", "-GPSLongitude=7.25", "-GPSLongitudeRef=E", plain)
    for name, options in {
        "tiled": ["-t", "-w", "16", "-l", "16"], "planes": ["-p", "separate"], "big": ["-8"],
        "deflate-predictor": ["-c", "zip:2"], "jpeg": ["-c", "jpeg:r:95", "-r", "16"],
    }.items():
        run("tiffcp", *options, plain, OUT / f"{name}.tiff")
    picture.save(OUT / "two-pages.tiff", save_all=True, append_images=[ImageOps.invert(picture)])
    converted(picture, "AdobeCompat-v4").save(OUT / "adobe-rgb.tiff", icc_profile=profile("AdobeCompat-v4"))
    # The profile leads from inks only: these are naive ones.
    picture.convert("CMYK").save(
        OUT / "cmyk.tiff", compression="tiff_lzw", icc_profile=profile("CGATS001Compat-v2-micro"))
    picture.convert("CMYK").save(OUT / "cmyk-untagged.tiff")
    picture.convert("L").save(OUT / "gray.tiff", icc_profile=profile("sGrey-v4"))
    picture.quantize(16).save(OUT / "palette.tiff")
    with_alpha(picture).save(OUT / "alpha.tiff", compression="tiff_lzw")
    source = OUT / "alpha.png"
    with_alpha(picture).save(source)
    run("convert", source, "-define", "tiff:alpha=associated", OUT / "alpha-associated.tiff")
    run("convert", source, "-alpha", "off", "-depth", "16", OUT / "sixteen-bits.tiff")
    run("convert", source, "-alpha", "off", "-depth", "32", "-define", "quantum:format=floating-point", OUT / "float.tiff")
    source.unlink()


def make_gif(picture):
    few = picture.quantize(64)
    few.save(OUT / "plain.gif", interlace=0)
    few.save(OUT / "interlaced.gif", interlace=1)
    few.save(OUT / "animated.gif", save_all=True, append_images=[ImageOps.invert(picture).quantize(64)], duration=100)
    holes = np.array(few)
    holes[:, :20] = 5
    clear = Image.fromarray(holes, "P")
    clear.putpalette(few.getpalette())
    clear.save(OUT / "transparent.gif", transparency=5, optimize=False)
    run("convert", OUT / "plain.gif", "-repage", "80x56+10+4", OUT / "offset.gif")


def dng(preview, kind, orientation, size):
    """A DNG with sensor data of 64 x 48 in a directory below the first, which holds the preview."""
    heap, entries = b"", {"main": {}, "sensor": {}, "exif": {}}
    def put(data):
        nonlocal heap
        heap += data + b"\0" * (len(data) % 2)
        return 8 + len(heap) - len(data) - len(data) % 2
    def text(value):
        return (2, value.encode() + b"\0")
    def short(*values):
        return (3, struct.pack(f"<{len(values)}H", *values))
    def long(*values):
        return (4, struct.pack(f"<{len(values)}I", *values))
    def rational(*values):
        return (5, b"".join(struct.pack("<II", int(v * 10000), 10000) for v in values))
    def signed(*values):
        return (10, b"".join(struct.pack("<ii", int(v * 10000), 10000) for v in values))
    def directory(fields):
        data = struct.pack("<H", len(fields))
        for tag, (type_, value) in sorted(fields.items()):
            count = len(value) // {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8}[type_]
            data += struct.pack("<HHI", tag, type_, count)
            data += value.ljust(4, b"\0") if len(value) <= 4 else struct.pack("<I", put(value))
        return put(data + struct.pack("<I", 0))
    mosaic = struct.pack("<3072H", *[(x * 37 + y * 91) % 4096 for y in range(48) for x in range(64)])
    sensor = directory({
        254: long(0), 256: long(64), 257: long(48), 258: short(16), 259: short(1), 262: short(32803),
        273: long(put(mosaic)), 277: short(1), 278: long(48), 279: long(len(mosaic)), 33421: short(2, 2),
        33422: (1, bytes([0, 1, 1, 2])), 50717: long(4095)})
    dates = directory({0x9003: text("2024:05:06 07:08:09"), 0x9011: text("+02:00")})
    width, height = size
    main = directory({
        254: long(1), 256: long(width), 257: long(height), 258: short(8, 8, 8),
        259: short(7 if kind == "jpeg" else 1), 262: short(6 if kind == "jpeg" else 2), 271: text("Moody"),
        272: text("Pinhole"), 273: long(put(preview)), 274: short(orientation), 277: short(3), 278: long(height),
        279: long(len(preview)), 284: short(1), 330: long(sensor), 34665: long(dates), 50706: (1, bytes([1, 4, 0, 0])),
        50708: text("Moody Pinhole"), 50721: signed(1, 0, 0, 0, 1, 0, 0, 0, 1), 50728: rational(1, 1, 1)})
    return struct.pack("<2sHI", b"II", 42, main) + heap


def make_raw(picture):
    large = picture.resize((320, 240), Image.Resampling.BICUBIC)
    jpeg = io.BytesIO()
    large.save(jpeg, "JPEG", quality=92, subsampling=0)
    (OUT / "jpeg-preview.dng").write_bytes(dng(jpeg.getvalue(), "jpeg", 6, large.size))
    (OUT / "bitmap-preview.dng").write_bytes(dng(picture.tobytes(), "bitmap", 1, picture.size))


def light(stored):
    return np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)


def stored(light):
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def ycbcr(image, kr, kb):
    """TIFF 6.0, section 21, with ReferenceBlackWhite 0 255 128 255 128 255."""
    y, cb, cr = (np.asarray(image, dtype=float) - [0, 128, 128]).transpose(2, 0, 1)
    red, blue = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    green = (y - kr * red - kb * blue) / (1 - kr - kb)
    return Image.fromarray(np.clip(np.stack([red, green, blue], -1) + 0.5, 0, 255).astype(np.uint8))


def p3_to_srgb(image):
    # Display P3 to XYZ to sRGB, both D65: SMPTE EG 432-1, IEC 61966-2-1.
    matrix = np.array([[1.2249401, -0.2249404, 0], [-0.0420569, 1.0420571, 0], [-0.0196376, -0.0786361, 1.0982735]])
    pixels = light(np.asarray(image, dtype=float) / 255) @ matrix.T
    return Image.fromarray((np.clip(stored(pixels), 0, 1) * 255 + 0.5).astype(np.uint8))


def seen(path):
    """The picture upright, sRGB, R G B, and its alpha, as others see it."""
    if path.suffix == ".dng":
        with rawpy.imread(str(path)) as raw:
            thumb = raw.extract_thumb()
            flip = raw.sizes.flip
        image = Image.open(io.BytesIO(thumb.data)) if thumb.format == rawpy.ThumbFormat.JPEG else Image.fromarray(thumb.data)
        return image.convert("RGB").rotate({0: 0, 3: 180, 5: 90, 6: 270}[flip], expand=True), None
    if path.stem in ("offset", "animated-offset"):
        # What the first picture leaves free is transparent, as in browsers; Pillow fills it.
        place = (10, 4) if path.suffix == ".gif" else (16, 8)
        canvas = Image.new("RGBA", (80, 56))
        canvas.paste((Image.open(OUT / "plain.gif") if path.suffix == ".gif" else synthetic()).convert("RGB"), place)
        return canvas.convert("RGB"), canvas.getchannel("A")
    image = Image.open(path)
    icc = image.info.get("icc_profile")
    if path.name == "nclx-p3.heic":
        return p3_to_srgb(image), None
    if image.mode == "YCbCr":
        return ycbcr(image, 0.2126, 0.0722), None
    if image.mode == "I;16":
        image = Image.fromarray((np.asarray(image).astype(float) / 257 + 0.5).astype(np.uint8))
    if image.format != "HEIF":
        image = ImageOps.exif_transpose(image)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    alpha = image.getchannel("A") if image.mode in ("LA", "RGBA") else None
    if image.mode == "LAB":
        return ImageCms.profileToProfile(image, ImageCms.createProfile("LAB"), SRGB, outputMode="RGB"), None
    if icc:
        source = ImageCms.ImageCmsProfile(io.BytesIO(icc))
        if image.mode == "RGBA":
            image = image.convert("RGB")
        # Inks with the press's black as black.
        flags = ImageCms.Flags.BLACKPOINTCOMPENSATION if image.mode == "CMYK" else ImageCms.Flags.NONE
        image = ImageCms.profileToProfile(image, source, SRGB, outputMode="RGB", renderingIntent=0, flags=flags)
    elif image.mode == "CMYK":
        inks = 255 - np.asarray(image, dtype=np.float64)
        image = Image.fromarray((inks[..., :3] * inks[..., 3:] / 255 + 0.5).astype(np.uint8))
    return image.convert("RGB"), alpha


def grid(path):
    """Means of 4 x 3 tiles, colors weighed by alpha; the tiles' alpha where there is any."""
    image, alpha = seen(path)
    pixels = np.asarray(image, dtype=float)
    weights = np.ones(pixels.shape[:2]) if alpha is None else np.asarray(alpha, dtype=float) / 255
    def tiles(plane):
        small = Image.fromarray(plane.astype(np.float32)).resize((4, 3), Image.Resampling.BOX)
        return np.asarray(small, dtype=float).reshape(-1)
    part = tiles(weights)
    colors = [tiles(pixels[..., c] * weights) / np.maximum(part, 1e-9) for c in range(3)]
    result = {"size": list(image.size), "grid": np.stack(colors, -1).round().astype(int).tolist()}
    result["alpha"] = (part * 255).round().astype(int).tolist()
    return result


def metadata(path):
    tags = ["DateTimeOriginal", "OffsetTimeOriginal", "GPSLatitude", "GPSLongitude", "Model", "Orientation"]
    command = ["exiftool", "-j", "-n", *[f"-{'Composite' if 'GPS' in tag else 'EXIF'}:{tag}" for tag in tags]]
    read = json.loads(subprocess.run([*command, path], capture_output=True, text=True).stdout)[0]
    return {key: value for key, value in read.items() if key in tags}


def only(names):
    """Makes these fixtures, and leaves all others as they are."""
    kept = {path.name: path.read_bytes() for path in OUT.iterdir() if path.name not in names}
    make_later(synthetic())
    for name, data in kept.items():
        (OUT / name).write_bytes(data)
    golden = json.loads((HERE / "golden-formats.json").read_text())
    for name in names:
        golden["files"][name] = grid(OUT / name) | {"metadata": metadata(OUT / name)}
    golden["files"] = dict(sorted(golden["files"].items()))
    (HERE / "golden-formats.json").write_text(json.dumps(golden, separators=(",", ":")))


def main():
    if sys.argv[2:]:
        return only(sys.argv[2:])
    OUT.mkdir(exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    for path in OTHERS.rglob("*.*"):
        if path.is_file() and path.stat().st_size <= 40_000:
            shutil.copyfile(path, OUT / path.name.replace(" ", "-"))
    picture = synthetic()
    for make in (make_webp, make_heif, make_tiff, make_gif, make_raw, make_later):
        make(picture)
    golden = {"files": {}, "shared": {}}
    # One has infinite YCbCrCoefficients; the other names colors that are not there, ends before the values of two
    # fields, and Pillow and Go refuse it too. No file of floats is read.
    broken = ("ycbcr_lzw_broken.tif", "invalid-palette-ref.tiff", "float.tiff")
    for path in sorted(OUT.iterdir()):
        if path.name not in broken:
            golden["files"][path.name] = grid(path) | {"metadata": metadata(path)}
    for path in sorted(OTHERS.rglob("*.*")):
        if path.is_file() and path.name not in broken:
            golden["shared"][str(path.relative_to(DATA))] = grid(path) | {"metadata": metadata(path)}
    with open(HERE / "golden-formats.json", "w") as out:
        json.dump(golden, out, separators=(",", ":"))


main()
