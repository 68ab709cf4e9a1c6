import Testing

@testable import Palettes

@Suite struct CIEDE2000Tests {
    /// The 34 pairs of Sharma, Wu and Dalal 2005, table 1, to the four decimals printed there. Among them are
    /// hues either side of 0 degrees, grays, and opposite hues (7 to 16), where naive code goes wrong.
    @Test(arguments: [
        (Lab(lightness: 50.0, a: 2.6772, b: -79.7751), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 2.0425),
        (Lab(lightness: 50.0, a: 3.1571, b: -77.2803), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 2.8615),
        (Lab(lightness: 50.0, a: 2.8361, b: -74.02), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 3.4412),
        (Lab(lightness: 50.0, a: -1.3802, b: -84.2814), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 1.0),
        (Lab(lightness: 50.0, a: -1.1848, b: -84.8006), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 1.0),
        (Lab(lightness: 50.0, a: -0.9009, b: -85.5211), Lab(lightness: 50.0, a: 0.0, b: -82.7485), 1.0),
        (Lab(lightness: 50.0, a: 0.0, b: 0.0), Lab(lightness: 50.0, a: -1.0, b: 2.0), 2.3669),
        (Lab(lightness: 50.0, a: -1.0, b: 2.0), Lab(lightness: 50.0, a: 0.0, b: 0.0), 2.3669),
        (Lab(lightness: 50.0, a: 2.49, b: -0.001), Lab(lightness: 50.0, a: -2.49, b: 0.0009), 7.1792),
        (Lab(lightness: 50.0, a: 2.49, b: -0.001), Lab(lightness: 50.0, a: -2.49, b: 0.001), 7.1792),
        (Lab(lightness: 50.0, a: 2.49, b: -0.001), Lab(lightness: 50.0, a: -2.49, b: 0.0011), 7.2195),
        (Lab(lightness: 50.0, a: 2.49, b: -0.001), Lab(lightness: 50.0, a: -2.49, b: 0.0012), 7.2195),
        (Lab(lightness: 50.0, a: -0.001, b: 2.49), Lab(lightness: 50.0, a: 0.0009, b: -2.49), 4.8045),
        (Lab(lightness: 50.0, a: -0.001, b: 2.49), Lab(lightness: 50.0, a: 0.001, b: -2.49), 4.8045),
        (Lab(lightness: 50.0, a: -0.001, b: 2.49), Lab(lightness: 50.0, a: 0.0011, b: -2.49), 4.7461),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 50.0, a: 0.0, b: -2.5), 4.3065),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 73.0, a: 25.0, b: -18.0), 27.1492),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 61.0, a: -5.0, b: 29.0), 22.8977),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 56.0, a: -27.0, b: -3.0), 31.903),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 58.0, a: 24.0, b: 15.0), 19.4535),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 50.0, a: 3.1736, b: 0.5854), 1.0),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 50.0, a: 3.2972, b: 0.0), 1.0),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 50.0, a: 1.8634, b: 0.5757), 1.0),
        (Lab(lightness: 50.0, a: 2.5, b: 0.0), Lab(lightness: 50.0, a: 3.2592, b: 0.335), 1.0),
        (
            Lab(lightness: 60.2574, a: -34.0099, b: 36.2677),
            Lab(lightness: 60.4626, a: -34.1751, b: 39.4387), 1.2644
        ),
        (
            Lab(lightness: 63.0109, a: -31.0961, b: -5.8663),
            Lab(lightness: 62.8187, a: -29.7946, b: -4.0864), 1.263
        ),
        (
            Lab(lightness: 61.2901, a: 3.7196, b: -5.3901), Lab(lightness: 61.4292, a: 2.248, b: -4.962),
            1.8731
        ),
        (
            Lab(lightness: 35.0831, a: -44.1164, b: 3.7933), Lab(lightness: 35.0232, a: -40.0716, b: 1.5901),
            1.8645
        ),
        (
            Lab(lightness: 22.7233, a: 20.0904, b: -46.694), Lab(lightness: 23.0331, a: 14.973, b: -42.5619),
            2.0373
        ),
        (
            Lab(lightness: 36.4612, a: 47.858, b: 18.3852), Lab(lightness: 36.2715, a: 50.5065, b: 21.2231),
            1.4146
        ),
        (
            Lab(lightness: 90.8027, a: -2.0831, b: 1.441), Lab(lightness: 91.1528, a: -1.6435, b: 0.0447),
            1.4441
        ),
        (
            Lab(lightness: 90.9257, a: -0.5406, b: -0.9208), Lab(lightness: 88.6381, a: -0.8985, b: -0.7239),
            1.5381
        ),
        (
            Lab(lightness: 6.7747, a: -0.2908, b: -2.4247), Lab(lightness: 5.8714, a: -0.0985, b: -2.2286),
            0.6377
        ),
        (
            Lab(lightness: 2.0776, a: 0.0795, b: -1.135), Lab(lightness: 0.9033, a: -0.0636, b: -0.5514),
            0.9082
        ),
    ])
    func `every published pair comes out to four decimals, both ways round`(
        first: Lab, second: Lab, expected: Double
    ) {
        #expect(abs(first.difference(to: second) - expected) < 0.000_05)
        #expect(abs(second.difference(to: first) - expected) < 0.000_05)
    }

    /// ColorAide 8.13.1 (PyPI), Lab under D65.
    @Test(arguments: [
        ("#000000", "#ffffff", 100.000000),
        ("#ffffff", "#808080", 33.238954),
        ("#808080", "#7f7f7f", 0.380552),
        ("#7f7f7f", "#010101", 39.411373),
        ("#010101", "#0a0a0a", 1.431052),
        ("#0a0a0a", "#fefefe", 96.464385),
        ("#fefefe", "#ff0000", 45.677655),
        ("#ff0000", "#00ff00", 86.607814),
        ("#00ff00", "#0000ff", 83.183721),
        ("#0000ff", "#ffff00", 103.428275),
        ("#ffff00", "#00ffff", 41.972125),
        ("#00ffff", "#ff00ff", 57.979039),
        ("#ff00ff", "#ffa500", 65.783959),
        ("#ffa500", "#800080", 72.958939),
        ("#800080", "#a52a2a", 30.261272),
        ("#a52a2a", "#ffc0cb", 43.024292),
        ("#ffc0cb", "#4b0082", 66.892935),
        ("#4b0082", "#663399", 9.645824),
        ("#663399", "#1a2b3c", 19.111984),
        ("#1a2b3c", "#c0ffee", 76.061580),
        ("#c0ffee", "#bada55", 26.193594),
        ("#bada55", "#deadbe", 48.635746),
        ("#deadbe", "#123456", 59.461432),
        ("#123456", "#fedcba", 71.494945),
        ("#fedcba", "#767676", 34.706746),
        ("#767676", "#2ab5c8", 27.472949),
        ("#2ab5c8", "#b55a30", 49.419786),
        ("#b55a30", "#e9ddcb", 37.652535),
        ("#e9ddcb", "#3a6ea5", 44.991889),
    ])
    func `differences of hex colors agree with ColorAide`(first: String, second: String, expected: Double)
        throws
    {
        let first = Lab(try #require(RGB(hex: first))), second = Lab(try #require(RGB(hex: second)))
        #expect(abs(first.difference(to: second) - expected) < 0.000_01)
    }

    /// CIEDE2000 up to 5, from 10 on the larger of it and 0.3 times HyAB, between in proportion.
    @Test(arguments: [
        (5.0, 100.0, 5.0), (7, 40, 9), (10, 40, 12), (12, 50, 15), (8, 20, 8), (20, 50, 20), (7.5, 50, 11.25),
    ])
    func `far colors are as different as the larger of two formulas says`(
        near: Double, hyab: Double, distance: Double
    ) {
        #expect(abs(Lab.distance(near, hyab) - distance) < 1e-9)
    }

    @Test func `traces of a hue that conversions leave to a gray do not matter`() {
        let traces = Lab(lightness: 50, a: 4e-10, b: -9e-10), grey = Lab(lightness: 50, a: 0, b: 0)
        for other in [Lab(lightness: 52, a: 3, b: 4), Lab(lightness: 40, a: -50, b: 30)] {
            #expect(traces.distance(to: other) == grey.distance(to: other))
            #expect(other.distance(to: traces) == other.distance(to: grey))
        }
    }
}
