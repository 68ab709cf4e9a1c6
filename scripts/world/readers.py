"""What outside readers see: an upright sRGB picture of R, G, B, A."""

import io, os, subprocess, tempfile, warnings

import imagecodecs, numpy, tifffile
from PIL import Image, ImageCms, ImageOps

import pillow_heif, pillow_jxl  # noqa: F401

pillow_heif.register_heif_opener()
warnings.simplefilter("ignore")
Image.MAX_IMAGE_PIXELS = None
SRGB = ImageCms.createProfile("sRGB")


def colors(picture):
    """By the profile, to eight bits of sRGB."""
    profile = picture.info.get("icc_profile")
    alpha = None
    if picture.mode in ("P", "PA") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
    if picture.mode in ("LA", "RGBA", "La", "RGBa"):
        picture = picture.convert("LA" if picture.mode in ("LA", "La") else "RGBA")
        alpha = picture.getchannel("A")
        picture = picture.convert("L" if picture.mode == "LA" else "RGB")
    if picture.mode.startswith("I;16"):
        picture = Image.fromarray(
            (numpy.asarray(picture).astype(numpy.float64) / 257 + 0.5).astype(numpy.uint8)
        )
    if picture.mode == "LAB":
        picture = ImageCms.profileToProfile(picture, ImageCms.createProfile("LAB"), SRGB, outputMode="RGB")
    elif profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            picture = ImageCms.profileToProfile(picture, source, SRGB, renderingIntent=1, outputMode="RGB")
        except ImageCms.PyCMSError:
            pass
    picture = picture.convert("RGB")
    if alpha:
        picture.putalpha(alpha)
    return numpy.asarray(picture.convert("RGBA"))


def pillow(path):
    with Image.open(path) as picture:
        picture.load()
        return colors(ImageOps.exif_transpose(picture))


def vips(path):
    import pyvips

    picture = pyvips.Image.new_from_file(str(path), fail_on="truncated")
    picture = picture.autorot()
    if picture.get_typeof("icc-profile-data"):
        picture = picture.icc_transform("srgb", intent="relative")
    if picture.interpretation != "srgb":
        picture = picture.colourspace("srgb")
    picture = picture.cast("uchar")
    if picture.bands > 4:
        picture = picture[:4]
    array = picture.numpy()
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[2] < 3:
        array = numpy.concatenate([array[..., :1]] * 3 + [array[..., 1:]], -1)
    if array.shape[2] == 3:
        array = numpy.dstack([array, numpy.full(array.shape[:2], 255, numpy.uint8)])
    return array


def samples(path):
    """tifffile's, where samples are colors: gray or R, G, B."""
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        if (
            page.photometric.name not in ("RGB", "MINISBLACK")
            or 34675 in page.tags
            or page.tags.get(274, None)
            and page.tags[274].value != 1
        ):
            raise ValueError("not plain")
        array = page.asarray()
        if page.planarconfig.name == "SEPARATE" and page.samplesperpixel > 1:
            array = numpy.moveaxis(array, 0, -1)
        alpha = [e.name for e in page.extrasamples]
    if array.dtype.kind == "f":
        array = numpy.clip(array.astype(numpy.float64), 0, 1) * 255
    elif array.dtype == bool:
        array = array * 255.0
    else:
        array = array.astype(numpy.float64) * 255 / numpy.iinfo(array.dtype).max
    if array.ndim == 2:
        array = array[..., None].repeat(3, -1)
    if alpha == ["ASSOCALPHA"]:
        array[..., :3] = array[..., :3] * 255 / numpy.maximum(array[..., 3:], 1)
    if not alpha or alpha == ["UNSPECIFIED"]:
        array = numpy.dstack([array[..., :3], numpy.full(array.shape[:2], 255.0)])
    return numpy.clip(array + 0.5, 0, 255).astype(numpy.uint8)


def program(*command):
    """A program that turns a file into a PNG."""

    def read(path):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/out.png"
            subprocess.run(
                [{"IN": str(path), "OUT": out}.get(word, word) for word in command],
                check=True,
                capture_output=True,
                timeout=60,
            )
            out = out if os.path.exists(out) else f"{folder}/out-1.png"
            array = imagecodecs.png_decode(open(out, "rb").read())
            with Image.open(out) as picture:
                if array.dtype == numpy.uint16:
                    profile = picture.info.get("icc_profile")
                    picture = Image.fromarray((array / 257 + 0.5).astype(numpy.uint8))
                    picture.info["icc_profile"] = profile
                return colors(picture)

    return read


# In this order; the programs only where the first two do not agree.
READERS = {
    "jpeg": [("pillow", pillow), ("vips", vips)],
    "tiff": [("pillow", pillow), ("vips", vips), ("tifffile", samples)],
    "avif": [("pillow", pillow), ("vips", vips), ("avifdec", program("avifdec", "IN", "OUT"))],
    "heic": [("pillow", pillow), ("vips", vips), ("heif-convert", program("heif-convert", "IN", "OUT"))],
    "jxl": [("pillow", pillow), ("djxl", program("djxl", "IN", "OUT", "--quiet"))],
}
MAGICK = ("magick", program("convert-im6.q16", "-auto-orient", "IN[0]", "-strip", "OUT"))


def readers(kind):
    first = kind.split("-")[0]
    first = {"bigtiff": "tiff", "apng": "png"}.get(first, first)
    return READERS.get(first, READERS["jpeg"])


def grid(array):
    """Means of R, G, B, weighed by alpha, and of alpha, of 8 x 6 areas, as in WorldTests."""
    array = array.astype(numpy.float64)
    height, width = array.shape[:2]
    cells = []
    for row in range(6):
        for column in range(8):
            y, x = row * height // 6, column * width // 8
            cell = array[
                y : max(y + 1, (row + 1) * height // 6), x : max(x + 1, (column + 1) * width // 8)
            ].reshape(-1, 4)
            weight = max(cell[:, 3].sum(), 1)
            cells.append([*(cell[:, :3] * cell[:, 3:]).sum(0) / weight, cell[:, 3].mean()])
    return cells


def distance(one, two):
    """The largest difference of a cell; what can hardly be seen has no color."""
    worst = 0.0
    for a, b in zip(one, two):
        worst = max(worst, abs(a[3] - b[3]))
        if min(a[3], b[3]) >= 16:
            worst = max(worst, *(abs(p - q) for p, q in zip(a[:3], b[:3])))
    return worst
