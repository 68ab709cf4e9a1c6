#include "CTables.h"

// C23's #embed, which clang knows in every C: the compiler reads the file and notes that it depends on it.
#pragma clang diagnostic ignored "-Wc23-extensions"

struct moody_table moody_country_arcs(void) {
    static const unsigned char bytes[] = {
#embed "country-arcs.bin"
    };
    return (struct moody_table){ bytes, sizeof bytes };
}

struct moody_table moody_color_names_css(void) {
    static const unsigned char bytes[] = {
#embed "color-names-css.txt"
    };
    return (struct moody_table){ bytes, sizeof bytes };
}

struct moody_table moody_color_names_survey(void) {
    static const unsigned char bytes[] = {
#embed "color-names-survey.txt"
    };
    return (struct moody_table){ bytes, sizeof bytes };
}

struct moody_table moody_color_vision(void) {
    static const unsigned char bytes[] = {
#embed "color-vision.tsv"
    };
    return (struct moody_table){ bytes, sizeof bytes };
}
