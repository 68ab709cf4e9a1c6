"""Dates, places, and orientations as exiftool has them; files that are broken."""

import json, re, subprocess

DATES = {
    "original": [
        "-DateTimeOriginal=2019:08:07 06:05:04",
        "-SubSecTimeOriginal=25",
        "-OffsetTimeOriginal=+02:00",
    ],
    "digitized": ["-CreateDate=2018:01:02 03:04:05", "-SubSecTimeDigitized=5"],
    "modified": ["-EXIF:ModifyDate=2017:11:12 13:14:15"],
    "xmp": ["-XMP-exif:DateTimeOriginal=2016:05:06 07:08:09+01:00"],
    "xmp-created": ["-XMP-photoshop:DateCreated=2015:05:06 07:08:09"],
    "iptc": ["-IPTC:DateCreated=2014:05:06", "-IPTC:TimeCreated=07:08:09+00:00"],
    "gps": ["-GPSDateStamp=2013:05:06", "-GPSTimeStamp=07:08:09"],
    "all": [
        "-DateTimeOriginal=2019:08:07 06:05:04",
        "-CreateDate=2018:01:02 03:04:05",
        "-EXIF:ModifyDate=2017:11:12 13:14:15",
        "-XMP-exif:DateTimeOriginal=2016:05:06 07:08:09+01:00",
    ],
    "zeros": ["-DateTimeOriginal=0000:00:00 00:00:00", "-XMP-exif:DateTimeOriginal=2016:05:06 07:08:09"],
    "modified-xmp": ["-EXIF:ModifyDate=2017:11:12 13:14:15", "-XMP-xmp:CreateDate=2012:05:06 07:08:09"],
}
PLACES = {
    "vienna": ["-GPSLatitude=48.2083", "-GPSLatitudeRef=N", "-GPSLongitude=16.3725", "-GPSLongitudeRef=E"],
    "lima": ["-GPSLatitude=12.0464", "-GPSLatitudeRef=S", "-GPSLongitude=77.0428", "-GPSLongitudeRef=W"],
    "xmp": ["-XMP-exif:GPSLatitude=-33.8568", "-XMP-exif:GPSLongitude=151.2153"],
}


def add_words(world):
    """One file per kind, with each word in turn; in one run of exiftool."""
    script = []
    for kind, source, end in (
        ("jpeg", "jpeg-pillow-flat-q95-s0-pTrue.jpg", "jpg"),
        ("png", "png-pillow-flat-RGB.png", "png"),
        ("webp", "webp-pillow-flat-read-True-90-4.webp", "webp"),
        ("tiff", "tiff-pillow-flat-RGB-tiff_lzw.tif", "tif"),
        ("avif", "avif-avifenc-lossless-flat.avif", "avif"),
        ("heic", "heic-pillow-flat-read-444-95.heic", "heic"),
        ("jxl", "jxl-cjxl-flat-0--container=1.jxl", "jxl"),
        ("gif", "gif-pillow-flat-0-False.gif", "gif"),
    ):
        if not (world.files / source).exists():
            world.missing[f"{kind}-words"] = f"no {source}"
            continue
        words = [(f"date-{name}", "date", arguments) for name, arguments in DATES.items()]
        words += [(f"place-{name}", "place", arguments) for name, arguments in PLACES.items()]
        words += [(f"turned-{n}", "orientation", [f"-IFD0:Orientation#={n}"]) for n in range(1, 9)]
        words += [(f"turned-xmp-{n}", "orientation", [f"-XMP-tiff:Orientation#={n}"]) for n in (3, 6)]
        words += [
            (
                "camera",
                "date",
                ["-Make=NIKON CORPORATION", "-Model=NIKON D70", "-DateTimeOriginal=2004:03:04 05:06:07"],
            ),
            (
                "big-endian",
                "date",
                ["-ExifByteOrder=MM", "-DateTimeOriginal=2004:03:04 05:06:07", "-Model=M"],
            ),
            (
                "little-endian",
                "date",
                ["-ExifByteOrder=II", "-DateTimeOriginal=2004:03:04 05:06:07", "-Model=M"],
            ),
        ]
        for name, about, arguments in words:
            path = world.add(kind, f"words-{name}", end, about, words=True, base=source)
            script += [*arguments, "-q", "-q", "-o", str(path), str(world.files / source), "-execute"]
    arguments = world.work / "exiftool.args"
    arguments.write_text("\n".join(script))
    subprocess.run(["exiftool", "-@", str(arguments)], capture_output=True, timeout=300)
    for name in [
        name for name, line in world.lines.items() if line.get("words") and not (world.files / name).exists()
    ]:
        world.skip(world.files / name, "exiftool writes no such word")


def words_of(folder):
    """exiftool's words of every file."""
    run = subprocess.run(
        [
            "exiftool",
            "-json",
            "-G1",
            "-n",
            "-q",
            "-DateTimeOriginal",
            "-CreateDate",
            "-ModifyDate",
            "-SubSecTime*",
            "-OffsetTime*",
            "-IPTC:all",
            "-XMP:DateCreated",
            "-XMP:DateTimeOriginal",
            "-XMP:CreateDate",
            "-XMP:GPS*",
            "-GPS:all",
            "-Composite:GPSLatitude",
            "-Composite:GPSLongitude",
            "-Orientation",
            "-Model",
            "-Make",
            "-PNG:all",
            str(folder),
        ],
        capture_output=True,
        timeout=300,
    )
    return {line["SourceFile"].rsplit("/", 1)[1]: line for line in json.loads(run.stdout)}


def date_of(words):
    """The first of FORMATS.md's order, as `YYYY:MM:DD HH:MM:SS`; None without one."""

    def is_date(text):
        return isinstance(text, str) and re.match(r"(18[3-9]|19|2[01])\d*[:-](0[1-9]|1[0-2])[:-]", text)

    for names in (
        ["ExifIFD:DateTimeOriginal", "IFD0:DateTimeOriginal"],
        ["ExifIFD:CreateDate"],
        ["XMP-exif:DateTimeOriginal", "XMP-photoshop:DateCreated", "XMP-xmp:CreateDate"],
        ["IPTC:DateCreated"],
        ["GPS:GPSDateStamp"],
        ["IFD0:ModifyDate"],
    ):
        for name in names:
            text = words.get(name)
            if not is_date(text):
                continue
            if name == "IPTC:DateCreated":
                text += " " + words.get("IPTC:TimeCreated", "00:00:00")
            if name == "GPS:GPSDateStamp":
                text += " " + words.get("GPS:GPSTimeStamp", "00:00:00")
            return text[:19]
    return None


def break_some(world):
    """Some files of each kind and writer, broken in the ways of the wild."""
    seen = {}
    for name, line in list(world.lines.items()):
        if line.get("words") or not (world.files / name).exists():
            continue
        writer = "-".join(name.split("-")[:3])
        seen[writer] = seen.get(writer, 0) + 1
        if seen[writer] > 1 or line["about"] == "profile":
            continue
        data = (world.files / name).read_bytes()
        stem, end = name.rsplit(".", 1)
        ways = {
            "cut-1": data[:-1],
            "cut-2": data[:-2],
            "cut-12": data[:-12],
            "cut-half": data[: len(data) // 2],
            "cut-nearly": data[: len(data) * 98 // 100],
            "cut-head": data[:40],
            "trailer": data + b"SEFT" * 40,
            "zeros": data[: len(data) * 9 // 10] + bytes(len(data) - len(data) * 9 // 10),
            "twice": data + data,
        }
        if end == "png":
            ways["checksum"] = data[:-20] + bytes([data[-20] ^ 0xFF]) + data[-19:]
        for way, broken in ways.items():
            (
                world.add(line["kind"], f"broken-{way}-{stem}", end, "broken", None, base=name, way=way)
            ).write_bytes(broken)
        other = {"jpg": "png", "png": "jpg", "heic": "jpg"}.get(end, "png")
        (world.add(line["kind"], f"misnamed-{stem}", other, "read", line["scene"])).write_bytes(data)
