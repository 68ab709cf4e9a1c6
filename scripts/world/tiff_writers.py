"""TIFF files, as the writers at hand make them with their options."""

import itertools

import numpy
import tifffile
from PIL import Image, ImageCms

from scenes import gray


def tiff(world):
    for name, scene in world.scenes.items():
        alpha = world.alphas[name]
        for dtype, compression, planar, order, big in itertools.product(
            ("u1", "u2", "u4", "f2", "f4"),
            (None, "zlib", "lzw", "packbits"),
            ("contig", "separate"),
            "<>",
            (False, True),
        ):
            if compression == "packbits" and dtype != "u1" or big and compression not in (None, "zlib"):
                continue
            if name != "flat" and (order == ">" or big):
                continue
            samples = world_samples(scene, dtype)
            about = {"u1": "read"}.get(dtype, "depth")
            world.put(
                "bigtiff" if big else "tiff",
                f"tifffile-{name}-{dtype}-{compression}-{planar}-{'LB'[order == '>']}",
                "tif",
                about,
                lambda path, a=(samples, compression, planar, order, big): tifffile.imwrite(
                    path,
                    a[0] if a[2] == "contig" else numpy.moveaxis(a[0], -1, 0),
                    photometric="rgb",
                    compression=a[1],
                    planarconfig=a[2],
                    byteorder=a[3],
                    bigtiff=a[4],
                ),
                name,
            )
        for tile, predictor, dtype in itertools.product(
            ((16, 16), (64, 48), None), (False, True), ("u1", "u2", "f4")
        ):
            world.put(
                "tiff",
                f"tifffile-{name}-tile{tile}-{predictor}-{dtype}".replace(" ", ""),
                "tif",
                "read",
                lambda path, a=(world_samples(scene, dtype), tile, predictor): tifffile.imwrite(
                    path,
                    a[0],
                    photometric="rgb",
                    tile=a[1],
                    predictor=a[2],
                    compression="zlib",
                    rowsperstrip=None if a[1] else 7,
                ),
                name,
            )
        for compression in ("jpeg", "webp", "zstd", "lzma", "jpeg2000", "jpegxl", "png"):
            world.put(
                "tiff",
                f"tifffile-{name}-{compression}",
                "tif",
                "read",
                lambda path, a=(scene, compression): tifffile.imwrite(
                    path, a[0], photometric="ycbcr" if a[1] == "jpeg" else "rgb", compression=a[1]
                ),
            )
        for extra, compression in itertools.product(
            ("unassalpha", "assocalpha", "unspecified"), (None, "zlib")
        ):
            world.put(
                "tiff",
                f"tifffile-{name}-{extra}-{compression}",
                "tif",
                "alpha",
                lambda path, a=(alpha, extra, compression): tifffile.imwrite(
                    path, a[0], photometric="rgb", extrasamples=[a[1]], compression=a[2]
                ),
            )
        for photometric, dtype in itertools.product(("minisblack", "miniswhite"), ("u1", "u2")):
            world.put(
                "tiff",
                f"tifffile-{name}-{photometric}-{dtype}",
                "tif",
                "read",
                lambda path, a=(world_samples(gray(scene), dtype), photometric): tifffile.imwrite(
                    path, a[0], photometric=a[1]
                ),
            )
        for mode, compression in itertools.product(
            ("1", "L", "P", "RGB", "RGBA", "CMYK", "LAB", "YCbCr"),
            ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg", "group3", "group4", "tiff_deflate"),
        ):
            if (
                (compression in ("group3", "group4")) != (mode == "1")
                or compression == "jpeg"
                and mode in ("P", "RGBA", "LAB")
            ):
                continue
            world.put(
                "tiff",
                f"pillow-{name}-{mode}-{compression}",
                "tif",
                "alpha" if mode == "RGBA" else "read",
                lambda path, a=(scene if mode != "RGBA" else alpha, mode, compression): mode_of(
                    a[0], a[1]
                ).save(path, "TIFF", compression=a[2]),
            )
        Image.fromarray(scene).save(world.work / f"{name}.tif")
        Image.fromarray(gray(scene)).save(world.work / f"{name}-gray.tif")
        for more in (
            ["-c", "lzw:2"],
            ["-c", "zip:2:p9"],
            ["-c", "packbits"],
            ["-c", "jpeg:r:80"],
            ["-c", "jpeg:80"],
            ["-r", "1"],
            ["-r", "200"],
            ["-t", "-w", "32", "-l", "16"],
            ["-p", "separate"],
            ["-f", "msb2lsb"],
            ["-f", "lsb2msb"],
            ["-B"],
            ["-8"],
            ["-c", "zstd"],
            ["-c", "webp"],
            ["-c", "lzma"],
            ["-s", "-c", "none"],
        ):
            for suffix in ("", "-gray"):
                world.run(
                    "bigtiff" if more == ["-8"] else "tiff",
                    f"tiffcp-{name}{suffix}{''.join(more).replace(':', '')}",
                    "tif",
                    "read",
                    "tiffcp",
                    *more,
                    f"{name}{suffix}.tif",
                    "OUT",
                    scene=name if not suffix and not {"webp", "jpeg:80", "jpeg:r:80"} & set(more) else None,
                )
        for more in ("LZW", "Zip", "JPEG", "RLE", "None"):
            for depth in (8, 16):
                world.run(
                    "tiff",
                    f"magick-{name}-{more}-{depth}",
                    "tif",
                    "read",
                    "convert-im6.q16",
                    f"{name}.png",
                    "-compress",
                    more,
                    "-depth",
                    depth,
                    "OUT",
                )
        world.run(
            "tiff",
            f"vips-{name}-tile",
            "tif",
            "read",
            "vips",
            "copy",
            f"{name}.png",
            f"{world.files}/tiff-vips-{name}-tile.tif[tile,pyramid,compression=lzw]",
        )
        world.run("tiff", f"gm-{name}", "tif", "read", "gm", "convert", f"{name}.png", "OUT")


def mode_of(scene, mode):
    picture = Image.fromarray(scene)
    if mode == "LAB":
        return ImageCms.profileToProfile(
            picture, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"
        )
    return picture.convert(mode)


def world_samples(scene, dtype):
    """The same picture in samples of a type; floating point from 0 to 1, as ImageMagick writes it."""
    if dtype[0] == "f":
        return (scene / 255).astype(dtype)
    return scene.astype(numpy.uint64).__mul__({"u1": 1, "u2": 257, "u4": 16843009}[dtype]).astype(dtype)
