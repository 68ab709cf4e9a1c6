"""Files of each kind, as the writers at hand make them with their options: JPEG, PNG, WebP, and GIF."""

import itertools

import imagecodecs
import numpy
from PIL import Image

from scenes import gray


def encoded(scene, kind, **options):
    def write(path):
        mode = options.pop("mode", None)
        picture = Image.fromarray(scene)
        if mode:
            picture = picture.convert(mode)
        picture.save(path, kind, **options)

    return write


def jpeg(world):
    for name, scene in world.scenes.items():
        for quality, sampling, progressive in itertools.product((75, 95), (0, 1, 2), (False, True)):
            world.put(
                "jpeg",
                f"pillow-{name}-q{quality}-s{sampling}-p{progressive}",
                "jpg",
                "read",
                encoded(scene, "JPEG", quality=quality, subsampling=sampling, progressive=progressive),
            )
        for mode in ("L", "CMYK"):
            world.put(
                "jpeg", f"pillow-{name}-{mode}", "jpg", "read", encoded(scene, "JPEG", mode=mode, quality=92)
            )
        for sample, more in itertools.product(
            ("1x1", "2x1", "1x2", "2x2", "4x1", "4x2", "1x1,1x1,2x2", "2x2,2x1,1x1"),
            ([], ["-progressive"], ["-arithmetic"], ["-restart", "1"], ["-optimize"], ["-restart", "3B"]),
        ):
            world.run(
                "jpeg",
                f"cjpeg-{name}-{sample}{''.join(more)}",
                "jpg",
                "read",
                "cjpeg",
                "-quality",
                "90",
                "-sample",
                sample,
                *more,
                "-outfile",
                "OUT",
                f"{name}.ppm",
            )
        for more in (
            ["-grayscale"],
            ["-rgb"],
            ["-dct", "float"],
            ["-quality", "5"],
            ["-quality", "100"],
            ["-smooth", "20"],
        ):
            world.run(
                "jpeg",
                f"cjpeg-{name}{'-'.join(more)}",
                "jpg",
                "read",
                "cjpeg",
                *more,
                "-outfile",
                "OUT",
                f"{name}.ppm",
            )
        world.run("jpeg", f"cjpeg-{name}-gray", "jpg", "read", "cjpeg", "-outfile", "OUT", f"{name}.pgm")
        Image.fromarray(scene).save(world.work / f"{name}.jpg", quality=92)
        for more in (
            ["-progressive"],
            ["-arithmetic"],
            ["-optimize"],
            ["-restart", "2"],
            ["-rotate", "90"],
            ["-flip", "horizontal"],
            ["-transverse"],
            ["-grayscale"],
            ["-copy", "none"],
            ["-crop", "64x48+16+16"],
        ):
            world.run(
                "jpeg",
                f"jpegtran-{name}{'-'.join(more)}",
                "jpg",
                "read",
                "jpegtran",
                *more,
                "-outfile",
                "OUT",
                f"{name}.jpg",
            )
        for program in (["convert-im6.q16"], ["gm", "convert"]):
            for space, sampling in itertools.product(("RGB", "CMYK", "Gray"), ("4:4:4", "4:2:0", "4:1:1")):
                world.run(
                    "jpeg",
                    f"{program[0]}-{name}-{space}-{sampling.replace(':', '')}",
                    "jpg",
                    "read",
                    *program,
                    f"{name}.png",
                    "-colorspace",
                    space if space != "RGB" else "sRGB" if len(program) == 1 else "RGB",
                    "-sampling-factor",
                    sampling,
                    "OUT",
                )
        world.put("jpeg", f"imagecodecs-{name}", "jpg", "read", imagecodecs.jpeg_encode(scene, level=90))
        world.run(
            "jpeg",
            f"vips-{name}",
            "jpg",
            "read",
            "vips",
            "copy",
            f"{name}.png",
            f"{world.files}/jpeg-vips-{name}.jpg[Q=90,interlace]",
        )


def png(world):
    for name, scene in world.scenes.items():
        alpha = world.alphas[name]
        for mode in ("1", "L", "P", "RGB", "I;16"):
            truth = name if mode == "RGB" else None
            world.put(
                "png",
                f"pillow-{name}-{mode}",
                "png",
                "read",
                encoded(scene, "PNG", mode="L" if mode == "I;16" else mode),
                truth,
            )
        for mode in ("RGBA", "LA"):
            world.put(
                "png",
                f"pillow-{name}-{mode}",
                "png",
                "alpha",
                encoded(alpha, "PNG", mode=mode),
                f"{name}-alpha" if mode == "RGBA" else None,
            )
        for depth, channels in itertools.product((8, 16), (1, 2, 3, 4)):
            samples = {1: gray(scene), 2: numpy.dstack([gray(scene), alpha[..., 3]]), 3: scene, 4: alpha}[
                channels
            ]
            samples = samples.astype(numpy.uint16) * 257 if depth == 16 else samples
            for level in (0, 9):
                world.put(
                    "png",
                    f"imagecodecs-{name}-{depth}-{channels}-{level}",
                    "png",
                    "alpha" if channels % 2 == 0 else "read",
                    imagecodecs.png_encode(numpy.ascontiguousarray(samples), level=level),
                    {3: name, 4: f"{name}-alpha"}.get(channels),
                )
        for suffix in ("", "-alpha", "-gray"):
            source = f"{name}{suffix}.png"
            about = "alpha" if suffix == "-alpha" else "read"
            truth = None if suffix == "-gray" else name + suffix
            world.run(
                "png",
                f"optipng-{name}{suffix}",
                "png",
                about,
                "optipng",
                "-quiet",
                "-i1",
                "-out",
                "OUT",
                source,
                scene=truth,
            )
            world.run(
                "png",
                f"zopflipng-{name}{suffix}",
                "png",
                about,
                "zopflipng",
                "--iterations=1",
                source,
                "OUT",
                scene=truth,
            )
            for kind in ("PNG8", "PNG24", "PNG32", "PNG48", "PNG64", "PNG00"):
                for more in ([], ["-interlace", "PNG"], ["-define", "png:color-type=3"]):
                    path = f"{kind}:{world.files}/png-magick-{name}{suffix}-{kind}{''.join(more[1:2]).replace(':', '')}.png"
                    world.run(
                        "png",
                        f"magick-{name}{suffix}-{kind}{''.join(more[1:2]).replace(':', '')}",
                        "png",
                        about,
                        "convert-im6.q16",
                        source,
                        *more,
                        path,
                    )
            world.run("png", f"gm-{name}{suffix}", "png", about, "gm", "convert", source, "OUT")
            world.run(
                "png",
                f"vips-{name}{suffix}",
                "png",
                about,
                "vips",
                "copy",
                source,
                f"{world.files}/png-vips-{name}{suffix}.png[interlace,palette]",
            )
        for gamma in (0.45455, 1.0, 0.55):
            world.run(
                "png",
                f"gamma-{name}-{gamma}",
                "png",
                "profile",
                "convert-im6.q16",
                f"{name}.png",
                "-strip",
                "-set",
                "gamma",
                gamma,
                "-define",
                "png:include-chunk=gAMA",
                "OUT",
            )
        frames = [
            Image.fromarray(scene),
            Image.fromarray(scene[::-1].copy()),
            Image.fromarray(scene[:, ::-1].copy()),
        ]
        for suffix, dispose, blend in (("none", 0, 0), ("back", 1, 1), ("previous", 2, 0)):
            world.put(
                "apng",
                f"pillow-{name}-{suffix}",
                "png",
                "animation",
                lambda path, d=dispose, b=blend, frames=frames: frames[0].save(
                    path, "PNG", save_all=True, append_images=frames[1:], duration=80, disposal=d, blend=b
                ),
                name,
            )
        for number, frame in enumerate(frames):
            frame.save(world.work / f"frame-{name}-{number}.png")
        world.run(
            "apng",
            f"apngasm-{name}",
            "png",
            "animation",
            "apngasm",
            "OUT",
            *[f"frame-{name}-{n}.png" for n in range(3)],
            "1",
            "10",
            "-F",
            scene=name,
        )


def webp(world):
    for name, scene in world.scenes.items():
        alpha = world.alphas[name]
        for lossless, quality, method in itertools.product((False, True), (30, 90), (0, 4, 6)):
            for picture, about in ((scene, "read"), (alpha, "alpha")):
                world.put(
                    "webp",
                    f"pillow-{name}-{about}-{lossless}-{quality}-{method}",
                    "webp",
                    about,
                    encoded(picture, "WEBP", lossless=lossless, quality=quality, method=method, exact=True),
                    (name if about == "read" else f"{name}-alpha") if lossless else None,
                )
        for more in (
            ["-lossless"],
            ["-near_lossless", "60"],
            ["-q", "50"],
            ["-q", "80", "-sharp_yuv"],
            ["-preset", "photo"],
            ["-segments", "1"],
            ["-pass", "3"],
            ["-alpha_q", "20"],
            ["-jpeg_like"],
            ["-q", "10", "-f", "60"],
            ["-partition_limit", "90"],
            ["-m", "0"],
            ["-alpha_method", "0"],
            ["-blend_alpha", "0xffffff"],
        ):
            for suffix in ("", "-alpha", "-gray"):
                world.run(
                    "webp",
                    f"cwebp-{name}{suffix}{'-'.join(more)}",
                    "webp",
                    "alpha" if suffix == "-alpha" else "read",
                    "cwebp",
                    "-quiet",
                    *more,
                    f"{name}{suffix}.png",
                    "-o",
                    "OUT",
                )
        for more in (["-lossless"], ["-lossy"], ["-mixed"], ["-kmin", "1"], ["-min_size"]):
            world.run(
                "webp-film",
                f"img2webp-{name}{'-'.join(more)}",
                "webp",
                "animation",
                "img2webp",
                *more,
                *[f"frame-{name}-{n}.png" for n in range(3)],
                "-o",
                "OUT",
            )
        frames = [Image.fromarray(world.alphas[name][::step].copy()) for step in (1, -1)]
        for more in (
            {},
            {"lossless": True},
            {"minimize_size": True},
            {"allow_mixed": True},
            {"background": (10, 20, 30, 255)},
        ):
            world.put(
                "webp-film",
                f"pillow-{name}-{'-'.join(more)}",
                "webp",
                "animation",
                lambda path, more=more, frames=frames: frames[0].save(
                    path, "WEBP", save_all=True, append_images=frames[1:], duration=80, exact=True, **more
                ),
            )
        world.run(
            "webp",
            f"vips-{name}",
            "webp",
            "read",
            "vips",
            "copy",
            f"{name}.png",
            f"{world.files}/webp-vips-{name}.webp[Q=80]",
        )
        world.run("webp", f"magick-{name}", "webp", "read", "convert-im6.q16", f"{name}.png", "OUT")


def gif(world):
    for name, scene in world.scenes.items():
        frames = [Image.fromarray(scene), Image.fromarray(scene[::-1].copy())]
        for interlace, optimize in itertools.product((0, 1), (False, True)):
            world.put(
                "gif",
                f"pillow-{name}-{interlace}-{optimize}",
                "gif",
                "read",
                encoded(scene, "GIF", interlace=interlace, optimize=optimize),
            )
        for disposal in range(4):
            world.put(
                "gif-film",
                f"pillow-{name}-{disposal}",
                "gif",
                "animation",
                lambda path, d=disposal, frames=frames: frames[0].save(
                    path, "GIF", save_all=True, append_images=frames[1:], duration=80, disposal=d
                ),
            )
        world.put(
            "gif",
            f"pillow-{name}-clear",
            "gif",
            "alpha",
            lambda path, name=name: Image.fromarray(
                numpy.dstack(
                    [
                        world.scenes[name],
                        numpy.where(world.alphas[name][..., 3] < 255, 0, 255).astype(numpy.uint8),
                    ]
                )
            ).save(path, "GIF"),
        )
        for more in (["-O3"], ["--interlace"], ["--colors", "16"], ["-O1", "--careful"]):
            world.run(
                "gif",
                f"gifsicle-{name}{'-'.join(more)}",
                "gif",
                "read",
                "gifsicle",
                *more,
                world.files / f"gif-pillow-{name}-0-False.gif",
                "-o",
                "OUT",
            )
            world.run(
                "gif-film",
                f"gifsicle-{name}{'-'.join(more)}",
                "gif",
                "animation",
                "gifsicle",
                *more,
                world.files / f"gif-film-pillow-{name}-1.gif",
                "-o",
                "OUT",
            )
        for suffix in ("", "-alpha", "-gray"):
            world.run(
                "gif",
                f"magick-{name}{suffix}",
                "gif",
                "read",
                "convert-im6.q16",
                f"{name}{suffix}.png",
                "OUT",
            )
        world.run("gif", f"gm-{name}", "gif", "read", "gm", "convert", f"{name}.png", "OUT")
        world.run(
            "gif",
            f"vips-{name}",
            "gif",
            "read",
            "vips",
            "copy",
            f"{name}.png",
            f"{world.files}/gif-vips-{name}.gif[dither=0]",
        )


OLDER = (jpeg, png, webp, gif)
