// Facts only, written by scripts/generate/color-words from the counts of the xkcd color survey (CC0).

extension ColorWords {
    /// Regions of Oklab, fitted to how many people called a color so.
    static let surveyed: [String: [ColorRegion]] = [
        "beige": [
            ColorRegion(
                hue: Edges(42, 72, 102, 124), lightness: Edges(0.60, 0.74, 0.96, 1.10),
                chroma: Edges(0.020, 0.055, 0.115, 0.135))
        ],
        "black": [
            ColorRegion(
                lightness: Edges(-0.20, -0.14, 0.22, 0.32), chroma: Edges(-0.100, -0.025, 0.025, 0.070)),
            ColorRegion(
                hue: Edges(92, 118, 380, 388), lightness: Edges(-0.36, -0.12, 0.06, 0.10),
                chroma: Edges(-0.020, 0.000, 0.275, 0.335)),
            ColorRegion(
                hue: Edges(40, 70, 222, 244), lightness: Edges(-0.22, 0.02, 0.18, 0.24),
                chroma: Edges(-0.085, -0.025, 0.095, 0.110)),
        ],
        "blue": [
            ColorRegion(
                hue: Edges(156, 190, 280, 300), lightness: Edges(-0.12, 0.24, 1.14, 1.46),
                chroma: Edges(0.010, 0.050, 0.340, 0.420))
        ],
        "brown": [
            ColorRegion(
                hue: Edges(10, 42, 92, 110), lightness: Edges(0.12, 0.24, 0.58, 0.82),
                chroma: Edges(0.015, 0.050, 0.115, 0.150))
        ],
        "cream": [
            ColorRegion(
                lightness: Edges(0.88, 1.02, 1.16, 1.22), chroma: Edges(-0.100, -0.025, 0.015, 0.035)),
            ColorRegion(
                hue: Edges(80, 84, 124, 134), lightness: Edges(0.86, 0.94, 1.12, 1.22),
                chroma: Edges(-0.085, -0.010, 0.085, 0.130)),
            ColorRegion(
                hue: Edges(-20, 60, 136, 170), lightness: Edges(0.90, 0.96, 1.00, 1.06),
                chroma: Edges(-0.080, -0.010, 0.055, 0.065)),
        ],
        "cyan": [
            ColorRegion(
                hue: Edges(156, 174, 210, 234), lightness: Edges(0.64, 0.82, 1.06, 1.16),
                chroma: Edges(0.060, 0.110, 0.190, 0.220))
        ],
        "gold": [
            ColorRegion(
                hue: Edges(68, 80, 102, 112), lightness: Edges(0.50, 0.60, 0.84, 0.98),
                chroma: Edges(0.110, 0.145, 0.180, 0.200))
        ],
        "green": [
            ColorRegion(
                hue: Edges(100, 122, 160, 198), lightness: Edges(0.16, 0.20, 0.88, 1.12),
                chroma: Edges(0.020, 0.070, 0.335, 0.400))
        ],
        "grey": [
            ColorRegion(
                lightness: Edges(0.28, 0.44, 0.76, 0.98), chroma: Edges(-0.100, -0.025, 0.025, 0.055)),
            ColorRegion(
                hue: Edges(98, 104, 160, 172), lightness: Edges(0.48, 0.54, 0.82, 0.94),
                chroma: Edges(-0.085, -0.010, 0.045, 0.075)),
        ],
        "magenta": [
            ColorRegion(
                hue: Edges(-44, -32, -6, 22), lightness: Edges(0.44, 0.56, 0.68, 0.80),
                chroma: Edges(0.185, 0.240, 0.360, 0.405)),
            ColorRegion(
                hue: Edges(-30, -18, 8, 18), lightness: Edges(0.32, 0.42, 0.58, 0.66),
                chroma: Edges(0.125, 0.185, 0.300, 0.335)),
        ],
        "navy": [
            ColorRegion(
                hue: Edges(-150, -130, -78, -56), lightness: Edges(0.04, 0.08, 0.32, 0.46),
                chroma: Edges(0.010, 0.045, 0.120, 0.195)),
            ColorRegion(
                hue: Edges(-164, -160, -64, -42), lightness: Edges(-0.06, 0.08, 0.22, 0.32),
                chroma: Edges(0.030, 0.060, 0.340, 0.370)),
        ],
        "olive": [
            ColorRegion(
                hue: Edges(90, 106, 124, 136), lightness: Edges(0.24, 0.40, 0.64, 0.80),
                chroma: Edges(0.045, 0.075, 0.145, 0.190))
        ],
        "orange": [
            ColorRegion(
                hue: Edges(28, 40, 74, 90), lightness: Edges(0.46, 0.60, 0.86, 1.02),
                chroma: Edges(0.115, 0.145, 0.235, 0.245))
        ],
        "pink": [
            ColorRegion(
                hue: Edges(-40, -18, 16, 24), lightness: Edges(0.44, 0.62, 0.82, 0.86),
                chroma: Edges(0.050, 0.150, 0.330, 0.355)),
            ColorRegion(
                hue: Edges(-48, -32, 22, 54), lightness: Edges(0.62, 0.76, 0.98, 1.02),
                chroma: Edges(0.010, 0.065, 0.345, 0.355)),
        ],
        "purple": [
            ColorRegion(
                hue: Edges(-82, -66, -32, 16), lightness: Edges(0.08, 0.26, 0.60, 0.96),
                chroma: Edges(0.025, 0.060, 0.185, 0.705))
        ],
        "red": [
            ColorRegion(
                hue: Edges(8, 20, 34, 40), lightness: Edges(0.18, 0.22, 0.60, 0.74),
                chroma: Edges(0.075, 0.160, 0.260, 0.270))
        ],
        "teal": [
            ColorRegion(
                hue: Edges(154, 166, 190, 218), lightness: Edges(0.48, 0.52, 0.76, 1.04),
                chroma: Edges(0.050, 0.090, 0.200, 0.215)),
            ColorRegion(
                hue: Edges(160, 174, 210, 234), lightness: Edges(0.24, 0.36, 0.64, 0.68),
                chroma: Edges(0.025, 0.060, 0.115, 0.140)),
        ],
        "white": [
            ColorRegion(
                lightness: Edges(0.78, 0.96, 1.16, 1.22), chroma: Edges(-0.100, -0.025, 0.015, 0.045)),
            ColorRegion(
                hue: Edges(80, 84, 132, 170), lightness: Edges(0.88, 0.96, 1.16, 1.22),
                chroma: Edges(-0.065, 0.010, 0.050, 0.100)),
        ],
        "yellow": [
            ColorRegion(
                hue: Edges(74, 88, 114, 128), lightness: Edges(0.64, 0.86, 1.12, 1.22),
                chroma: Edges(0.085, 0.150, 0.250, 0.260))
        ],
    ]
}
