#ifndef MOODY_CTABLES_H
#define MOODY_CTABLES_H

#include <stddef.h>

/// A table of data in the program itself: the bytes of a file beside tables.c, which stay as long as it runs.
struct moody_table {
    const unsigned char *bytes;
    size_t count;
};

/// country-arcs.bin, written by scripts/generate/countries.
struct moody_table moody_country_arcs(void);
/// color-names-css.txt and color-names-survey.txt, written by scripts/generate/color-names.
struct moody_table moody_color_names_css(void);
struct moody_table moody_color_names_survey(void);
/// color-vision.tsv, written by scripts/generate/color-vision.
struct moody_table moody_color_vision(void);

#endif
