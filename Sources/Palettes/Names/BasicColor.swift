/// The sixteen words a color is filed under.
enum BasicColor: String, CaseIterable {
    case black, white, grey, red, orange, yellow, green, blue, purple, pink, brown  // Berlin and Kay's eleven
    case beige, olive, teal, cyan, magenta

    /// Names of the xkcd survey that are typical of this one. One prototype a word would file dark greens
    /// under black and pale blues under white.
    var typicalNames: Set<String> {
        switch self {
        case .black: ["black", "almost black"]
        case .white: ["white", "off white", "very light pink"]
        case .grey: ["grey", "light grey", "dark grey", "medium grey", "charcoal", "slate grey", "warm grey"]
        case .red: ["red", "dark red", "deep red", "light red", "pale red", "dusty red", "crimson"]
        case .orange: ["orange", "dark orange", "light orange", "dusty orange", "pale orange"]
        case .yellow: ["yellow", "dark yellow", "light yellow", "golden", "dull yellow"]
        case .green:
            [
                "green", "dark green", "light green", "pale green", "dusty green", "greyish green",
                "very dark green", "forest green", "medium green", "off green",
            ]
        case .blue:
            [
                "blue", "dark blue", "light blue", "dusty blue", "medium blue", "bright blue", "navy",
                "sky blue", "very dark blue", "light navy", "dark grey blue",
            ]
        case .purple:
            [
                "purple", "dark purple", "light purple", "dusty purple", "pale purple", "medium purple",
                "violet", "lavender",
            ]
        case .pink: ["pink", "light pink", "dark pink", "dusty pink", "medium pink", "salmon pink"]
        case .brown:
            [
                "brown", "dark brown", "light brown", "medium brown", "greyish brown", "chocolate brown",
                "reddish brown",
            ]
        case .beige: ["beige", "tan", "cream", "sand", "very light brown"]
        case .olive: ["olive", "dark olive", "light olive", "olive green", "pale olive"]
        case .teal: ["teal", "dark teal", "dark cyan", "dusty teal", "turquoise", "greyish teal"]
        case .cyan: ["cyan", "light cyan", "aqua", "pale cyan"]
        case .magenta: ["magenta", "dark magenta", "light magenta", "pale magenta", "hot pink"]
        }
    }
}
