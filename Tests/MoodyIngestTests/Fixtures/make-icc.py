#!/usr/bin/env python3
"""Makes icc/: one photo in ten color spaces, small. Pillow 13.0.0 (littlecms).

    python3 Tests/MoodyIngestTests/Fixtures/make-icc.py DATA      # DATA: the shared data folder
"""
import io, pathlib, sys

from PIL import Image, ImageCms

data, out = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent / "icc"
out.mkdir(exist_ok=True)
photo = Image.open(data / "icc/made/same-look-srgb.jpg").convert("RGB")
photo.info.clear()
photo = photo.resize((240, 240 * photo.height // photo.width), Image.Resampling.BOX)
# A little paler, so that no color lies outside any of the spaces.
photo = Image.blend(photo, photo.convert("L").convert("RGB"), 0.25)
srgb = ImageCms.createProfile("sRGB")
photo.save(out / "untagged.jpg", quality=95, subsampling=0)
for name, profile in {
    "srgb": "sRGB-v4", "display-p3": "DisplayP3-v4", "adobe-rgb": "AdobeCompat-v4", "prophoto": "ProPhoto-v4",
    "rec2020": "Rec2020-v4", "rec2020-g24": "Rec2020-g24-v4", "rec709": "Rec709-v4",
    "wide-gamut": "WideGamutCompat-v4", "dci-p3": "DCI-P3-v4",
}.items():
    icc = (data / f"icc/profiles/{profile}.icc").read_bytes()
    target = ImageCms.ImageCmsProfile(io.BytesIO(icc))
    converted = ImageCms.profileToProfile(photo, srgb, target, renderingIntent=1)
    converted.save(out / f"{name}.jpg", quality=95, subsampling=0, icc_profile=icc)
# 40 columns of Display P3's red, which sRGB has not, and 24 of a grey.
wide = Image.new("RGB", (64, 48), (255, 0, 0))
wide.paste((120, 120, 120), (40, 0, 64, 48))
wide.save(out / "wide-red.png", icc_profile=(data / "icc/profiles/DisplayP3-v4.icc").read_bytes())
