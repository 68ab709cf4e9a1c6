import Testing

@testable import Palettes

@Suite struct RGBTests {
    @Test(arguments: ["#36c", "36c", "36C", "#3366cc", "3366cc", "3366CC"])
    func `three or six hex digits are read, with or without the hash`(text: String) {
        #expect(RGB(hex: text) == RGB(red: 0x33, green: 0x66, blue: 0xCC))
    }

    @Test(arguments: [
        "", "#", "#3", "36", "#36cc", "3366c", "#3366ccf", "#3366ccff", "##36c", "3 6", "#36g", "３６c", " 36c",
    ])
    func `anything else is no color`(text: String) {
        #expect(RGB(hex: text) == nil)
    }

    @Test func `hex has seven lower-case characters and reads back`() {
        #expect(RGB(red: 1, green: 0xAB, blue: 0xFF).hex == "#01abff")
        for value in UInt8.min...UInt8.max {
            let rgb = RGB(red: value, green: 255 - value, blue: value ^ 0x55)
            #expect(RGB(hex: rgb.hex) == rgb)
        }
    }
}
