import Foundation
import Palettes
import Testing

@testable import MoodyGallery

@Suite struct TemplateTests {
    private static let palette = Palette(entries: [
        Palette.Entry(color: RGB(red: 0x33, green: 0x66, blue: 0xCC), share: 0.75),
        Palette.Entry(color: RGB(red: 0xFF, green: 0xEE, blue: 0x00), share: 0.25),
    ])

    private func text(
        _ template: String, name: String = "a.jpg", ending: String = "txt", count: Int = 1,
        _ variant: Theme.Variant = .dark
    ) throws(TemplateError) -> String {
        var photo = TemplatePhoto(name: name, palette: Self.palette)
        photo.path = "/photos/\(name)"
        return try TemplateFormat(Array(template.utf8), name: "t", ending: ending)
            .text(Array(repeating: photo, count: count), variant)
    }

    private func reason(_ template: String, count: Int = 1) -> String {
        do {
            return "no error: \(try text(template, count: count))"
        } catch { return error.description }
    }

    /// Worked out by hand; Oklch, Lab, and luminance by ColorAide 8.13.1.
    @Test(arguments: [
        ("{{.}}", "#3366cc"), ("{{hex}}", "#3366cc"), ("{{hex6}}", "3366cc"),
        ("{{r}},{{g}},{{b}}", "51,102,204"),
        ("{{rgb}}", "51, 102, 204"), ("{{gpl}}", " 51 102 204"), ("{{unit}}", "0.20000, 0.40000, 0.80000"),
        ("{{css-rgb}}", "rgb(51 102 204)"), ("{{hsl}}", "hsl(220 60% 50%)"), ("{{argb}}", "ff3366cc"),
        ("{{oklch}}", "oklch(53.25% 0.168 262.3)"), ("{{bgr}}", "cc6633"), ("{{x11}}", "rgb:33/66/cc"),
        ("{{lab}}", "45.03 18.72 -57.85"), ("{{luminance}}", "0.1457"), ("{{on}}", "#ffffff"),
        ("{{on.hex6}}", "ffffff"), ("{{n}}", "1"), ("{{share}}", "75.0 %"), ("{{fraction}}", "0.75"),
        ("{{start}}-{{end}}", "0.0 %-75.0 %"), ("{{p3}}", ""), ("{{^p3}}narrow{{/p3}}", "narrow"),
        ("{{{hex}}}{{&hex}}", "#3366cc#3366cc"),
    ])
    func `a color is written in the ways of other programs`(tag: String, value: String) throws {
        #expect(try text("{{#colors}}{{#first()}}\(tag){{/first()}}{{/colors}}") == value)
    }

    @Test func `hsl gives each color back`() {
        for red in stride(from: 0, through: 255, by: 15) {
            for green in stride(from: 0, through: 255, by: 15) {
                for blue in stride(from: 0, through: 255, by: 15) {
                    let color = RGB(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    #expect(RGB(cssText: PaletteFormat.hsl(color)) == color)
                }
            }
        }
    }

    @Test func `a theme's colors have the names of roles, terminals, and builders`() throws {
        let dark = Theme(Self.palette, .dark)
        let light = Theme(Self.palette, .light)
        let hex = String(dark[.background].hex.dropFirst())
        #expect(try text("{{background}}{{base00}}{{base00-hex}}") == "#\(hex)#\(hex)\(hex)")
        #expect(try text("{{color0}}{{base01}}") == dark[.surface].hex + dark[.surface].hex)
        #expect(try text("{{text}} {{foreground}}") == "\(dark[.text].hex) \(dark[.text].hex)")
        #expect(try text("{{light.background}}{{variant}}") == light[.background].hex + "dark")
        #expect(try text("{{background}}{{variant}}", .light) == light[.background].hex + "light")
        #expect(try text("{{#light}}{{accent}}{{/light}}") == light.color(.accent).hex)
        let red = dark[.red]
        #expect(
            try text("{{base08-rgb-r}} {{base08-rgb16-g}} {{base08-hex-b}} {{base08-hex-bgr}}")
                == "\(red.red) \(Int(red.green) * 257) \(red.hex.suffix(2)) "
                + "\(red.hex.suffix(2))\(red.hex.dropFirst(3).prefix(2))\(red.hex.dropFirst().prefix(2))")
        #expect(try text("{{scheme-name}} {{scheme-slug}} {{scheme-system}}") == "a a base24")
        #expect(try text("{{#scheme-is-dark-variant}}d{{/scheme-is-dark-variant}}") == "d")
        #expect(try text("{{moody}}") == "made by moody from a.jpg")
    }

    @Test func `photos are a list, each with its colors and its theme`() throws {
        #expect(
            try text(
                "{{#photos}}{{slug}}:{{#colors}}{{n}}{{^last()}},{{/last()}}{{/colors}} {{/photos}}", count: 2
            )
                == "a:1,2 a-2:1,2 ")
        #expect(
            try text("{{#photos}}{{background}}{{/photos}}") == Theme(Self.palette, .dark)[.background].hex)
        #expect(try text("{{#photo.camera}}x{{/photo.camera}}{{^photo.camera}}y{{/photo.camera}}") == "y")
        let file = try TemplateFormat(Array("{{#photos}}{{/photos}}".utf8), name: "t", ending: "")
        #expect(file.isOfMany)
        #expect(try !TemplateFormat(Array("{{photo.name}}".utf8), name: "t", ending: "").isOfMany)
    }

    @Test(arguments: [
        ("a\n{{backgroud}}", "t:2: no value is called backgroud (background?)"),
        ("{{#coulors}}{{/coulors}}", "t:1: no value is called coulors (colors?)"),
        ("{{^coulors}}{{/coulors}}", "t:1: no value is called coulors (colors?)"),
        ("\r\n\r\n{{background.hexx}}", "t:3: no value is called background.hexx (hex?)"),
        ("{{#colors}}{{nam}}{{/colors}}", "t:1: no value is called nam"),
        ("{{#colors}}{{.text}}{{/colors}}", "t:1: no value is called .text here"),
        ("{{#background}}{{hexx}}{{/background}}", "t:1: no value is called hexx (hex?)"),
        ("{{hex}}", "t:1: no value is called hex here"), ("{{.}}", "t:1: no value is called ."),
        ("{{lighten(background)}}", "t:1: no value is called lighten(background)"),
        ("{{colors}}", "t:1: colors is a list: {{#colors}} ... {{/colors}}"),
        ("{{dark}}", "t:1: dark has no text of its own"),
        ("{{last()}}", "t:1: last() is for items of a list"),
        ("{{#colors}}{{#p3}}{{last()}}{{/p3}}{{/colors}}", "t:1: last() is for items of a list"),
        ("x\n\n{{> header}}", "t:3: {{> header}}: a template includes no other file"),
        ("{{< a}}{{/a}}", "t:1: {{< a}}{{/a}}: a template includes no other file"),
        ("{{$a}}{{/a}}", "t:1: {{$a}}{{/a}}: a template includes no other file"),
        ("{{=<% %>=}}\n<%> header%>", "t:2: <%> header%>: a template includes no other file"),
        ("ab\n {{#colors}}\n{{n}}", "t:2:2: section colors is not closed"),
        ("{{#colors}}{{/color}}", "t:1: color closes the section colors"),
        ("{{/colors}}", "t:1: colors closes no section"),
        ("{{ }}", "t:1: a tag names nothing"), ("{{text", "t:1: {{text: a tag is one name between {{ and }}"),
        ("{{a b}}", "t:1: {{a b}}: a tag is one name between {{ and }}"),
        ("{{!", "t:1: {{!: a tag is one name between {{ and }}"),
        ("{{% CONTENT_TYPE: HTML}}", "t:1: {{% CONTENT_TYPE: HTML}}: a tag is one name between {{ and }}"),
        ("{{=| |=}}", "t:1: delimiters have two characters, and 16 at most"),
    ])
    func `what cannot be meant is named with its line`(template: String, message: String) {
        #expect(reason(template) == message)
    }

    @Test func `sections are nested 32 deep at most`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "{{#background}}", count: depth) + "x"
                + String(repeating: "{{/background}}", count: depth)
        }
        #expect(try text(nested(32)) == "x")
        #expect(reason(nested(33)) == "t: sections are nested deeper than 32")
        #expect(
            reason(String(repeating: "{{#colors}}", count: 30_000)) == "t: sections are nested deeper than 32"
        )
    }

    @Test func `what would be written without end is refused before it is`() throws {
        let pairs = "{{#colors}}{{#colors}}{{n}}{{/colors}}{{/colors}}"
        #expect(try text(pairs) == "1212")
        let many =
            String(repeating: "{{#colors}}", count: 30) + "x" + String(repeating: "{{/colors}}", count: 30)
        #expect(reason(many) == "t: would write more than 256 MB")
        let long = "{{#photos}}{{#photos}}\(String(repeating: "x", count: 1_000)){{/photos}}{{/photos}}"
        #expect(reason(long, count: 1_000) == "t: would write more than 256 MB")
    }

    @Test func `what names add is counted before it is written`() throws {
        let template = Array("{{#photos}}{{#colors}}{{photo.path}}{{path}}{{/colors}}{{/photos}}".utf8)
        let format = try TemplateFormat(template, name: "t", ending: "txt")
        var photo = TemplatePhoto(name: "a.jpg", palette: Self.palette)
        photo.path = String(repeating: "x", count: 1 << 20)
        #expect(try format.text([photo], .dark).utf8.count == 4 << 20)
        #expect(throws: TemplateError("t: would write more than 256 MB")) {
            try format.text(Array(repeating: photo, count: 65), .dark)
        }
    }

    /// chevron 0.14.0 writes the same of each.
    @Test(arguments: [
        ("  {{#dark}}  \n  a\r\n  {{/dark}}\r\nb", "  a\r\nb"), ("{{#dark}}{{/dark}}\n", "\n"),
        (" {{! a }} {{variant}}\n", "  dark\n"), ("x {{#dark}}\n{{/dark}}\ny", "x \ny"),
        ("{{#dark}}\n{{/dark}}", ""), ("a\n {{! b\n c }} \nd", "a\nd"), ("{{! a }}", ""),
        ("  {{^dark}}\nx\n{{/dark}}\n\ty", "\ty"), ("{{#dark}} a {{/dark}} \nb", " a  \nb"),
        ("a\n  {{=<< >>=}}\n<<variant>>", "a\ndark"), ("  {{variant}}\n  x", "  dark\n  x"),
    ])
    func `lines are those of the specification`(template: String, expected: String) throws {
        #expect(try text(template) == expected)
    }

    @Test func `a mark behind a tag belongs to no brace`() throws {
        #expect(
            try text("{{variant}}\u{FE0F} \u{301}{{#dark}}\u{301}{{/dark}}\u{FE0F}")
                == "dark\u{FE0F} \u{301}\u{301}\u{FE0F}")
    }

    @Test func `a megabyte of tags is read in the time of its length`() throws {
        let clock = ContinuousClock()
        func time(_ count: Int) throws -> Duration {
            let bytes = Array(String(repeating: "{{#dark}}{{text}}{{/dark}}\n", count: count).utf8)
            return try clock.measure { _ = try TemplateFormat(bytes, name: "t", ending: "txt") }
        }
        let few = try time(4_000)
        // Ten times as long, with room for a busy machine.
        #expect(try time(38_000) < few * 40)
    }

    @Test(arguments: hostileNames + ["a*/b{}/*", "#{a} @{b}", "a\\"])
    func `a name is text in a style sheet's comments and strings`(name: String) throws {
        let css = try text(
            "/* {{photo.name}} */ a { b: \"{{photo.name}}\"; c: '{{photo.name}}'; }",
            name: name, ending: "css")
        let inside = name.inOneLine
        var strings: [String] = []
        var rest = css[...]
        let comment = try #require(rest.firstRange(of: "*/"))
        #expect(!css[css.index(css.startIndex, offsetBy: 2)..<comment.lowerBound].contains("*"))
        rest = rest[comment.upperBound...]
        while let open = rest.firstIndex(where: { $0 == "\"" || $0 == "'" }) {
            var at = rest.unicodeScalars.index(after: open)
            let quote = rest.unicodeScalars[open]
            var value = String.UnicodeScalarView()
            while rest.unicodeScalars[at] != quote {
                var scalar = rest.unicodeScalars[at]
                at = rest.unicodeScalars.index(after: at)
                if scalar == "\\" {
                    let code = rest.unicodeScalars[at...].prefix { $0.properties.isASCIIHexDigit }
                    if code.isEmpty {
                        scalar = rest.unicodeScalars[at]
                        at = rest.unicodeScalars.index(after: at)
                    } else {
                        scalar = try #require(UInt32(String(code), radix: 16).flatMap(Unicode.Scalar.init))
                        // One space ends a code.
                        at = rest.unicodeScalars.index(after: code.endIndex)
                    }
                }
                value.append(scalar)
            }
            strings.append(String(value))
            rest = rest[rest.unicodeScalars.index(after: at)...]
        }
        #expect(strings == [inside, inside])
        #expect(!css.contains("#{") && !css.contains("@{"))
    }

    @Test func `a template is UTF-8 and has a megabyte at most`() {
        func reason(_ bytes: [UInt8]) -> String? {
            do {
                _ = try TemplateFormat(bytes, name: "t", ending: "")
                return nil
            } catch { return error.description }
        }
        #expect(reason([0x61, 0xFF]) == "t: is not UTF-8")
        #expect(reason(Array(repeating: 0x61, count: 1 << 20)) == nil)
        #expect(reason(Array(repeating: 0x61, count: 1 << 20 + 1)) == "t: larger than 1 MB: no template")
    }

    @Test(arguments: hostileNames) func `a name is as it is in braces of three alone`(name: String) throws {
        #expect(try text("{{{photo.name}}}", name: name) == name)
        #expect(try text("{{&photo.path}}", name: name) == "/photos/" + name)
        let plain = try text("{{photo.name}}", name: name)
        #expect(plain.unicodeScalars.allSatisfy { !"$`\"'\\{}[]<>#;:|&*\n".unicodeScalars.contains($0) })
        #expect(plain.unicodeScalars.count == name.unicodeScalars.count)
    }

    @Test func `delimiters set in a section end with it`() throws {
        #expect(
            try text("{{#light}}{{=<< >>=}}<<variant>>{{variant}}<</light>>{{variant}}")
                == "dark{{variant}}dark")
        #expect(
            reason("{{#light}}{{=<< >>=}}<</light>><<variant>>{{nothing}}")
                == "t:1: no value is called nothing")
    }

    @Test func `a line with nothing but a section's tag leaves no line`() throws {
        #expect(try text("{{#colors}}\n{{n}}\n{{/colors}}\nend\n") == "1\n2\nend\n")
        #expect(try text("{{! a comment }}\n{{variant}}") == "dark")
    }

    @Test func `the page on templates has each name`() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/TEMPLATES.md")
        let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        let words = Set(page.split(separator: "`").flatMap { $0.split(separator: " ") }.map { String($0) })
        let names = RootScope.names + PhotoScope.names + SwatchScope.names
        for name in Set(names) where name.wholeMatch(of: /(color|base)[0-9A-F]+/) == nil {
            #expect(words.contains(name) || words.contains("." + name), "\(name)")
        }
    }
}
