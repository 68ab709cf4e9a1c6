extension ColorName {
    /// Names to show under a photo: the survey's in words as people write them, less those of
    /// `isTasteless(_:)`, and those of CSS's keywords that say something the survey does not. "Grey" so
    /// spelled.
    ///
    /// A dark, deep or dim color is darker than the same name without that word, and a light or pale one
    /// lighter: of CSS's nothing is taken that says how light it is, since its dark gray is lighter than its
    /// gray.
    public static let display: [ColorName] = {
        let survey = ColorName.survey.filter { !isTasteless($0.name) }
        let known = Set(survey.map(\.name))
        return survey
            + css.compactMap { keyword in
                // The survey's are a little duller, and its nearest name to the full ones another word.
                if ["red", "blue"].contains(keyword.name) { return keyword }
                let name = cssWords[keyword.name] ?? ""
                return name.isEmpty || known.contains(name)
                    ? nil : ColorName(name: name, color: keyword.color)
            }
    }()

    /// CSS's keywords that name a color and not how light or strong another is, in words.
    private static let cssWords: [String: String] = [
        "aliceblue": "alice blue", "antiquewhite": "antique white", "bisque": "bisque",
        "blanchedalmond": "blanched almond", "burlywood": "burlywood", "cornsilk": "cornsilk",
        "dimgray": "dim grey", "firebrick": "firebrick", "floralwhite": "floral white",
        "ghostwhite": "ghost white", "honeydew": "honeydew", "lemonchiffon": "lemon chiffon",
        "linen": "linen",
        "mintcream": "mint cream", "mistyrose": "misty rose", "moccasin": "moccasin", "oldlace": "old lace",
        "peru": "peru", "rebeccapurple": "rebecca purple", "rosybrown": "rosy brown",
        "saddlebrown": "saddle brown", "seashell": "seashell", "snow": "snow", "springgreen": "spring green",
        "steelblue": "steel blue", "thistle": "thistle", "whitesmoke": "white smoke",
    ]

    /// Whether a survey name does not belong under somebody's photo: indelicate, silly, dull, misspelled, or
    /// at odds with another about which is the lighter.
    static func isTasteless(_ name: String) -> Bool {
        tastelessNames.contains(name) || name.contains("/")
            || name.split(separator: " ").contains { tastelessWords.contains($0) }
    }

    private static let tastelessWords: Set<Substring> = [
        // Indelicate.
        "barf", "bile", "blood", "booger", "bruise", "diarrhea", "nasty", "piss", "poo", "poop", "puke",
        "shit",
        "sick", "sickly", "snot", "ugly", "vomit",
        // Silly.
        "barbie", "barney", "bluey", "blurple", "browny", "bubble", "burple", "camo", "easter", "fluro",
        "frog",
        "greeny", "gross", "highlighter", "hospital", "icky", "kermit", "macaroni", "orangey", "pea", "pig",
        "pinky",
        "poison", "purpley", "purply", "radioactive", "reddy", "slime", "toxic", "turtle", "velvet", "weird",
        "windows",
        "yellowy", "irish", "rosa", "hint",
        // Dull, or no more than a word beside another color's.
        "boring", "clear", "dirty", "dirt", "drab", "dull", "dust", "flat", "lighter", "metallic", "mid",
        "murky",
        "nice", "primary", "pure", "really", "rich", "strong", "tealish", "true", "washed",
        // Spelled in another way elsewhere in the list.
        "creme", "forrest", "kelley", "lavendar", "liliac", "ocher", "ocre", "perrywinkle", "siena",
        "terracota",
        "toupe", "urple", "vermillion",
    ]

    private static let tastelessNames: Set<String> = [
        "aqua marine", "bland", "blue blue", "bluegreen", "bluegrey", "darkblue", "darkgreen", "egg shell",
        "golden rod", "greenblue", "green apple", "greyblue", "lightblue", "lightgreen", "light light blue",
        "light light green", "orangered", "robin's egg", "terra cotta", "yellowgreen", "swamp", "squash",
        // A word that alone is half a color.
        "bluish", "brownish", "dark", "greenish", "greyish", "orangeish", "orangish", "pale", "pinkish",
        "purpleish",
        "reddish", "yellowish", "dusk", "night blue", "off blue", "off green", "off yellow",
        // Not lighter than what they are said to be lighter than, or not darker.
        "light bright green", "light lime", "light mint green", "light neon green", "light pastel green",
        "light plum", "light royal blue", "pale lime", "darkish green", "very pale green",
    ]
}
