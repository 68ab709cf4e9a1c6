extension ColorWords {
    /// The eleven words in German, French, Spanish, Italian, Portuguese and Dutch, as a search compares text:
    /// lower case, without accents, and German umlauts also as they are typed without them.
    ///
    /// A word that means a color in English ("violet", "orange") keeps that meaning.
    ///
    /// - Source: put together by the authors from general knowledge of the languages; no table was copied.
    package static let aliases: [String: String] = {
        let words: [(String, [String])] = [
            ("red", ["rot rote roter rotes rouges rojo roja rosso rossa vermelho vermelha rood rode"]),
            ("orange", ["arancione naranja anaranjado laranja oranje"]),
            (
                "yellow",
                [
                    "gelb gelbe gelber gelbes jaune jaunes amarillo amarilla giallo gialla",
                    "amarelo amarela",
                    "geel gele",
                ]
            ),
            (
                "green",
                [
                    "grun grune gruner grunes gruen gruene vert verte verts vertes verde verdes",
                    "groen groene",
                ]
            ),
            (
                "blue",
                [
                    "blau blaue blauer blaues bleu bleue bleus bleues azul azules blu azzurro azzurra",
                    "blauw blauwe",
                ]
            ),
            (
                "purple",
                [
                    "lila purpur purpurn violett violette viola morado morada purpura roxo roxa",
                    "paars paarse",
                ]
            ),
            ("pink", ["rosafarben rosado rosada cor-de-rosa roze"]),
            (
                "brown",
                ["braun braune brauner braunes brun brune marron bruno bruna marrone marrom bruin bruine"]
            ),
            (
                "white",
                [
                    "weiss weisse weisser weisses blanc blanche blancs blanco blanca bianco bianca",
                    "branco branca wit witte",
                ]
            ),
            (
                "grey",
                ["grau graue grauer graues gris grise grises grigio grigia cinza cinzento grijs grijze"]
            ),
            (
                "black",
                [
                    "schwarz schwarze schwarzer schwarzes noir noire noirs noires negro negra nero nera",
                    "preto preta zwart zwarte",
                ]
            ),
        ]
        var aliases: [String: String] = [:]
        for (word, others) in words {
            for other in others.flatMap({ $0.split(separator: " ") }).map(String.init)
            where regions[other] == nil && modifiers[other] == nil && names[other] == nil {
                aliases[other] = word
            }
        }
        return aliases
    }()
}
