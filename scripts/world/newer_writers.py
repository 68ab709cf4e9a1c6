"""Files of each kind, as the writers at hand make them: AVIF, HEIC, JPEG XL, and profiles."""

import itertools

import imagecodecs
import numpy
from PIL import Image

from scenes import gray
from writers import encoded


def avif(world):
    quick = ["-s", "9", "--min", "0", "--max", "10"]
    for name in world.scenes:
        for chroma, depth, kind, matrix in itertools.product(
            ("444", "422", "420", "400"), (8, 10, 12), ("full", "limited"), ("1", "6", "9")
        ):
            if name != "flat" and (depth == 12 or matrix == "9"):
                continue
            world.run(
                "avif",
                f"avifenc-{name}-{chroma}-{depth}-{kind}-{matrix}",
                "avif",
                "read",
                "avifenc",
                *quick,
                "-y",
                chroma,
                "-d",
                depth,
                "-r",
                kind,
                "--cicp",
                f"1/13/{matrix}",
                f"{name}.png",
                "OUT",
            )
        for chroma, premultiplied in itertools.product(("444", "420"), ([], ["-p"])):
            world.run(
                "avif",
                f"avifenc-alpha-{name}-{chroma}{''.join(premultiplied)}",
                "avif",
                "alpha",
                "avifenc",
                *quick,
                "-y",
                chroma,
                *premultiplied,
                f"{name}-alpha.png",
                "OUT",
            )
        world.run(
            "avif",
            f"avifenc-lossless-{name}",
            "avif",
            "read",
            "avifenc",
            "-s",
            "9",
            "-l",
            f"{name}.png",
            "OUT",
            scene=name,
        )
        for turn, mirror in itertools.product(range(4), (None, 0, 1)):
            world.run(
                "avif",
                f"avifenc-{name}-turn{turn}-mirror{mirror}",
                "avif",
                "orientation",
                "avifenc",
                *quick,
                "--irot",
                turn,
                *([] if mirror is None else ["--imir", mirror]),
                f"{name}.png",
                "OUT",
            )
        world.run(
            "avif-film",
            f"avifenc-{name}",
            "avif",
            "animation",
            "avifenc",
            *quick,
            *[f"frame-{name}-{n}.png" for n in range(3)],
            "OUT",
        )
        for sampling, quality in itertools.product(("4:4:4", "4:2:2", "4:2:0"), (60, 95)):
            world.put(
                "avif",
                f"pillow-{name}-{sampling.replace(':', '')}-{quality}",
                "avif",
                "read",
                encoded(world.scenes[name], "AVIF", subsampling=sampling, quality=quality, speed=10),
            )
        for more in ({"range": "limited"}, {"range": "full"}):
            world.put(
                "avif",
                f"pillow-alpha-{name}-{more['range']}",
                "avif",
                "alpha",
                encoded(world.alphas[name], "AVIF", quality=95, speed=10, **more),
            )
        world.put(
            "avif",
            f"imagecodecs-{name}",
            "avif",
            "read",
            lambda path, name=name: imagecodecs.avif_encode(world.scenes[name], level=95, speed=9),
        )
        world.run(
            "avif",
            f"heif-enc-{name}",
            "avif",
            "read",
            "heif-enc",
            "-A",
            "-q",
            "95",
            f"{name}.png",
            "-o",
            "OUT",
        )
        world.put(
            "avif-film",
            f"pillow-{name}",
            "avif",
            "animation",
            lambda path, name=name: Image.fromarray(world.scenes[name]).save(
                path,
                "AVIF",
                save_all=True,
                append_images=[Image.fromarray(world.scenes[name][::-1].copy())],
                duration=80,
                quality=95,
                speed=10,
            ),
        )


def heic(world):
    import pillow_heif

    for name in world.scenes:
        for chroma, quality in itertools.product(("420", "422", "444"), (60, 95)):
            world.run(
                "heic",
                f"heif-enc-{name}-{chroma}-{quality}",
                "heic",
                "read",
                "heif-enc",
                "-q",
                quality,
                "-p",
                f"chroma={chroma}",
                f"{name}.png",
                "-o",
                "OUT",
            )
            for suffix, scene in (("read", world.scenes[name]), ("alpha", world.alphas[name])):
                world.put(
                    "heic",
                    f"pillow-{name}-{suffix}-{chroma}-{quality}",
                    "heic",
                    suffix,
                    lambda path, scene=scene, chroma=chroma, quality=quality: pillow_heif.from_pillow(
                        Image.fromarray(scene)
                    ).save(path, quality=quality, chroma=chroma),
                )
        for depth in (10, 12):
            wide = world.scenes[name].astype(numpy.uint16) << 8
            world.put(
                "heic",
                f"pillow-{name}-{depth}",
                "heic",
                "read",
                lambda path, depth=depth, wide=wide: (
                    setattr(pillow_heif.options, "SAVE_HDR_TO_12_BIT", depth == 12),
                    pillow_heif.from_bytes("RGB;16", wide.shape[1::-1], wide.tobytes()).save(
                        path, quality=95
                    ),
                )[0],
            )
        world.run(
            "heic",
            f"heif-enc-alpha-{name}",
            "heic",
            "alpha",
            "heif-enc",
            "-q",
            "95",
            f"{name}-alpha.png",
            "-o",
            "OUT",
        )
        world.run(
            "heic",
            f"heif-enc-gray-{name}",
            "heic",
            "read",
            "heif-enc",
            "-q",
            "95",
            f"{name}-gray.png",
            "-o",
            "OUT",
        )
        world.run(
            "heic",
            f"heif-enc-lossless-{name}",
            "heic",
            "read",
            "heif-enc",
            "-L",
            "-p",
            "chroma=444",
            f"{name}.png",
            "-o",
            "OUT",
        )

        def several(path, name=name):
            file = pillow_heif.from_pillow(Image.fromarray(world.scenes[name]))
            file.add_from_pillow(Image.fromarray(world.scenes[name][::-1].copy()))
            file.save(path, quality=95)

        world.put("heic", f"pillow-two-{name}", "heic", "animation", several)
        for nclx in ((1, 13, 6, 0), (1, 13, 6, 1), (1, 13, 1, 0), (9, 13, 9, 0), (12, 13, 6, 1)):
            world.put(
                "heic",
                f"pillow-nclx-{name}-{'-'.join(map(str, nclx))}",
                "heic",
                "profile",
                lambda path, nclx=nclx, name=name: pillow_heif.from_pillow(
                    Image.fromarray(world.scenes[name])
                ).save(
                    path,
                    quality=95,
                    color_primaries=nclx[0],
                    transfer_characteristics=nclx[1],
                    matrix_coefficients=nclx[2],
                    full_range_flag=nclx[3],
                ),
            )


def jxl(world):
    import pillow_jxl  # noqa: F401

    spaces = ("RGB_D65_DCI_Rel_SRG", "RGB_D65_SRG_Rel_709", "RGB_D65_SRG_Rel_g0.45455", "RGB_DCI_DCI_Rel_DCI")
    for name in world.scenes:
        for suffix, distance, more in itertools.product(
            ("", "-alpha", "-gray"),
            ("0", "1", "3"),
            (
                [],
                ["-p"],
                ["-m", "1"],
                ["--container=1"],
                ["--group_order=1"],
                ["--epf=3"],
                ["--patches=0"],
                ["--dots=1"],
            ),
        ):
            truth = name + suffix if distance == "0" and suffix != "-gray" else None
            world.run(
                "jxl",
                f"cjxl-{name}{suffix}-{distance}{'-'.join(more)}",
                "jxl",
                "alpha" if suffix == "-alpha" else "read",
                "cjxl",
                "--quiet",
                "-e",
                "3",
                "-d",
                distance,
                *more,
                f"{name}{suffix}.png",
                "OUT",
                scene=truth,
            )
        for space, distance in itertools.product(spaces, ("0", "1")):
            world.run(
                "jxl",
                f"cjxl-{name}-{space}-{distance}",
                "jxl",
                "profile",
                "cjxl",
                "--quiet",
                "-e",
                "3",
                "-d",
                distance,
                "-x",
                f"color_space={space}",
                f"{name}.png",
                "OUT",
            )
        world.run("jxl", f"cjxl-from-jpeg-{name}", "jxl", "read", "cjxl", "--quiet", f"{name}.jpg", "OUT")
        for lossless in (True, False):
            world.put(
                "jxl",
                f"pillow-{name}-{lossless}",
                "jxl",
                "read",
                lambda path, name=name, lossless=lossless: Image.fromarray(world.scenes[name]).save(
                    path, lossless=lossless, quality=92
                ),
            )
        world.put(
            "jxl",
            f"imagecodecs-{name}",
            "jxl",
            "read",
            lambda path, name=name: imagecodecs.jpegxl_encode(world.scenes[name], lossless=True),
            name,
        )
        world.run(
            "jxl-film",
            f"cjxl-{name}",
            "jxl",
            "animation",
            "cjxl",
            "--quiet",
            "-d",
            "0",
            world.files / f"apng-pillow-{name}-none.png",
            "OUT",
            scene=name,
        )


def profiles(world):
    """ICC profiles of several spaces, in each kind that has them."""
    import pillow_heif, pillow_jxl  # noqa: F401

    pillow_heif.register_heif_opener()
    icc = world.root / "Tests/ImagesTests/Fixtures/icc"
    for source in ("adobe-rgb", "display-p3", "prophoto", "rec2020", "srgb-v2"):
        with Image.open(icc / f"{source}.jpg") as tagged:
            profile = tagged.info["icc_profile"]
        for name, scene in world.scenes.items():
            for kind, end, options in (
                ("jpeg", "jpg", {"quality": 95}),
                ("png", "png", {}),
                ("webp", "webp", {"quality": 90}),
                ("webp", "lossless.webp", {"lossless": True}),
                ("avif", "avif", {"quality": 95, "speed": 10}),
                ("heic", "heic", {"quality": 95}),
                ("jxl", "jxl", {"lossless": True}),
                ("tiff", "tif", {}),
                ("tiff", "lzw.tif", {"compression": "tiff_lzw"}),
            ):
                form = {"jpeg": "JPEG", "jxl": "JXL", "heic": "HEIF"}.get(kind, kind.upper())
                world.put(
                    kind,
                    f"icc-{source}-{name}",
                    end,
                    "profile",
                    lambda path, a=(scene, form, options): Image.fromarray(a[0]).save(
                        path, a[1], icc_profile=profile, **a[2]
                    ),
                )
    gray_profile = Image.open(icc / "gray-sgrey.jpg").info["icc_profile"]
    for name, scene in world.scenes.items():
        for form, end in (("JPEG", "jpg"), ("PNG", "png"), ("TIFF", "tif")):
            world.put(
                form.lower(),
                f"icc-gray-{name}",
                end,
                "profile",
                lambda path, a=(scene, form): Image.fromarray(gray(a[0])).save(
                    path, a[1], icc_profile=gray_profile
                ),
            )


NEWER = (avif, heic, jxl)
