// lcms2 reports errors through a logger, not by jumping. Each transform has its own context, so that two threads
// never share a logger. While it is applied it is only read: lcms's cache of one pixel is off.

#include "CImage.h"
#include "message.h"

#include <stdlib.h>
#include <lcms2.h>

static void on_error(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)code;
    cimage_color_result *result = cmsGetContextUserData(context);
    if (!result->message[0]) cimage_keep(result->message, sizeof result->message, text);
}

static void refuse(cimage_color_result *result, const char *text) {
    result->status = cimage_corrupt;
    if (!result->message[0]) cimage_keep(result->message, sizeof result->message, text);
}

// An RGB space of these primaries; gamma 0: sRGB's own curve, IEC 61966-2-1, as lcms writes parametric curves
// of type 4.
static cmsHPROFILE create(cmsContext context, const double primaries[8], double gamma) {
    cmsCIExyY white = {primaries[0], primaries[1], 1};
    cmsCIExyYTRIPLE colorants = {
        {primaries[2], primaries[3], 1}, {primaries[4], primaries[5], 1}, {primaries[6], primaries[7], 1},
    };
    const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *curve =
        gamma > 0 ? cmsBuildGamma(context, gamma) : cmsBuildParametricToneCurve(context, 4, srgb);
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = curve ? cmsCreateRGBProfileTHR(context, &white, &colorants, curves) : NULL;
    if (curve) cmsFreeToneCurve(curve);
    return profile;
}

static cmsHPROFILE open_target(cmsContext context, cimage_target target) {
    // SMPTE EG 432-1 with the white D65.
    const double p3[8] = {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060};
    switch (target) {
    case cimage_target_srgb: return cmsCreate_sRGBProfileTHR(context);
    case cimage_target_display_p3: return create(context, p3, 0);
    }
    return NULL;
}

struct cimage_transform {
    cmsContext context;
    cmsHTRANSFORM transform;
};

// Closes `from`.
static void make(
    cimage_transform *made, cmsHPROFILE from, cmsUInt32Number format, cmsColorSpaceSignature space,
    cimage_target target, cimage_color_result *result) {
    if (!from) return refuse(result, "not an ICC profile");
    cmsHPROFILE to = NULL;
    if (cmsGetColorSpace(from) != space) {
        refuse(result, "profile for another kind of pixels");
    } else {
        to = open_target(made->context, target);
        // A press's black is gray beside a screen's: it is taken for black, as viewers and editors do.
        cmsUInt32Number flags =
            cmsFLAGS_NOCACHE | (space == cmsSigCmykData ? cmsFLAGS_BLACKPOINTCOMPENSATION : 0);
        if (to) made->transform = cmsCreateTransformTHR(
            made->context, from, format, to, TYPE_RGBA_8, INTENT_PERCEPTUAL, flags);
        if (!made->transform) refuse(result, "no conversion from it");
    }
    if (to) cmsCloseProfile(to);
    cmsCloseProfile(from);
}

// A transform without its tables yet; NULL when there is no memory.
static cimage_transform *begin(cimage_color_result *result) {
    cimage_transform *made = calloc(1, sizeof *made);
    if (made) made->context = cmsCreateContext(NULL, result);
    if (!made || !made->context) {
        free(made);
        refuse(result, "out of memory");
        return NULL;
    }
    cmsSetLogErrorHandlerTHR(made->context, on_error);
    return made;
}

// Hands the transform over, or frees what there is of it.
static void finish(cimage_transform *made, cimage_color_result *result) {
    // Nothing is logged from here on: the result is the caller's.
    cmsSetLogErrorHandlerTHR(made->context, NULL);
    if (made->transform) result->transform = made;
    else cimage_transform_free(made);
}

cimage_color_result cimage_transform_from_profile(
    const uint8_t *profile, size_t profile_count, cimage_layout layout, cimage_target target) {
    cimage_color_result result = {0};
    cimage_transform *made = begin(&result);
    if (!made) return result;
    cmsUInt32Number format = TYPE_RGBA_8;
    cmsColorSpaceSignature space = cmsSigRgbData;
    switch (layout) {
    case cimage_layout_rgba: break;
    case cimage_layout_gray:
        format = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
        space = cmsSigGrayData;
        break;
    case cimage_layout_cmyk: format = TYPE_CMYK_8; space = cmsSigCmykData; break;
    case cimage_layout_cmyk_inverted: format = TYPE_CMYK_8_REV; space = cmsSigCmykData; break;
    }
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(made->context, profile, (cmsUInt32Number)profile_count);
    make(made, from, format, space, target, &result);
    finish(made, &result);
    return result;
}

cimage_color_result cimage_transform_from_primaries(
    const double primaries[8], double gamma, cimage_target target) {
    cimage_color_result result = {0};
    cimage_transform *made = begin(&result);
    if (!made) return result;
    make(made, create(made->context, primaries, gamma), TYPE_RGBA_8, cmsSigRgbData, target, &result);
    finish(made, &result);
    return result;
}

void cimage_transform_apply(const cimage_transform *transform, uint8_t *pixels, size_t count) {
    // lcms reads a pixel before it writes it, and all pixels here have four bytes: no second buffer.
    for (size_t at = 0; at < count; at += 1 << 20) {
        size_t left = count - at;
        cmsUInt32Number n = left < 1 << 20 ? (cmsUInt32Number)left : 1 << 20;
        cmsDoTransform(transform->transform, pixels + at * 4, pixels + at * 4, n);
    }
}

void cimage_transform_free(cimage_transform *transform) {
    if (!transform) return;
    if (transform->transform) cmsDeleteTransform(transform->transform);
    cmsDeleteContext(transform->context);
    free(transform);
}
