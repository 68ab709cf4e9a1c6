// lcms2 reports errors through a logger, not by jumping. Each call has its own context, so that two threads
// never share a logger and nothing outlives the call.

#include "CImage.h"
#include "message.h"

#include <string.h>
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

static void convert(
    cmsContext context, cmsHPROFILE from, cmsUInt32Number format, cmsColorSpaceSignature space,
    const cimage_color_job *jobs, size_t job_count, cimage_color_result *result) {
    if (!from) return refuse(result, "not an ICC profile");
    if (cmsGetColorSpace(from) != space) return refuse(result, "profile for another kind of pixels");
    cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(context);
    cmsHTRANSFORM transform = srgb ? cmsCreateTransformTHR(
        context, from, format, srgb, TYPE_RGBA_8, INTENT_PERCEPTUAL, cmsFLAGS_NOCACHE) : NULL;
    if (transform) {
        // lcms reads a pixel before it writes it, and all pixels here have four bytes: no second buffer.
        for (size_t i = 0; i < job_count; i++)
            for (size_t at = 0; at < jobs[i].count; at += 1 << 20) {
                size_t left = jobs[i].count - at;
                cmsUInt32Number n = left < 1 << 20 ? (cmsUInt32Number)left : 1 << 20;
                cmsDoTransform(transform, jobs[i].pixels + at * 4, jobs[i].pixels + at * 4, n);
            }
        cmsDeleteTransform(transform);
    } else {
        refuse(result, "no conversion to sRGB");
    }
    if (srgb) cmsCloseProfile(srgb);
}

cimage_color_result cimage_color_from_profile(
    const uint8_t *profile, size_t profile_count, cimage_layout layout, const cimage_color_job *jobs,
    size_t job_count) {
    cimage_color_result result = {0};
    cmsContext context = cmsCreateContext(NULL, &result);
    if (!context) {
        refuse(&result, "out of memory");
        return result;
    }
    cmsSetLogErrorHandlerTHR(context, on_error);
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, profile, (cmsUInt32Number)profile_count);
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
    convert(context, from, format, space, jobs, job_count, &result);
    if (from) cmsCloseProfile(from);
    cmsDeleteContext(context);
    return result;
}

cimage_color_result cimage_color_from_primaries(
    const double primaries[8], double gamma, const cimage_color_job *jobs, size_t job_count) {
    cimage_color_result result = {0};
    cmsContext context = cmsCreateContext(NULL, &result);
    if (!context) {
        refuse(&result, "out of memory");
        return result;
    }
    cmsSetLogErrorHandlerTHR(context, on_error);
    cmsCIExyY white = {primaries[0], primaries[1], 1};
    cmsCIExyYTRIPLE colorants = {
        {primaries[2], primaries[3], 1}, {primaries[4], primaries[5], 1}, {primaries[6], primaries[7], 1},
    };
    // sRGB's curve, IEC 61966-2-1, as lcms writes parametric curves of type 4.
    const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *curve =
        gamma > 0 ? cmsBuildGamma(context, gamma) : cmsBuildParametricToneCurve(context, 4, srgb);
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE from = curve ? cmsCreateRGBProfileTHR(context, &white, &colorants, curves) : NULL;
    convert(context, from, TYPE_RGBA_8, cmsSigRgbData, jobs, job_count, &result);
    if (from) cmsCloseProfile(from);
    if (curve) cmsFreeToneCurve(curve);
    cmsDeleteContext(context);
    return result;
}
