import Testing

@testable import Palettes

/// Two colors, their contrast by WCAG 2.1, and Oklch of the first: ColorAide 8.13.1.
struct ReferenceContrast: Sendable {
    var first: String, second: String
    var ratio: Double
    var oklch: [Double]
}

let referenceContrasts: [ReferenceContrast] = [
    ReferenceContrast(
        first: "#ebebeb", second: "#f9e492", ratio: 1.0649805, oklch: [0.9400701, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#002005", second: "#b8b8b8", ratio: 8.7578741, oklch: [0.2120345, 0.0638699, 146.5090]),
    ReferenceContrast(
        first: "#1d0018", second: "#6e6f76", ratio: 3.9405043, oklch: [0.1579106, 0.0700748, 335.4444]),
    ReferenceContrast(
        first: "#f2a1de", second: "#ae739c", ratio: 1.9064977, oklch: [0.8072141, 0.1227021, 336.1228]),
    ReferenceContrast(
        first: "#0b0606", second: "#2c2c2c", ratio: 1.4418663, oklch: [0.1302021, 0.0103660, 18.5753]),
    ReferenceContrast(
        first: "#140e39", second: "#9686ed", ratio: 6.0172472, oklch: [0.2039304, 0.0795088, 283.1239]),
    ReferenceContrast(
        first: "#707070", second: "#8e00b0", ratio: 1.5269188, oklch: [0.5451691, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#b800ff", second: "#000010", ratio: 4.4490052, oklch: [0.5997845, 0.3017034, 311.0220]),
    ReferenceContrast(
        first: "#2d3302", second: "#cccccd", ratio: 8.2511366, oklch: [0.3048772, 0.0681134, 116.8003]),
    ReferenceContrast(
        first: "#000000", second: "#ffffc6", ratio: 20.3715103, oklch: [0.0000000, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#309dff", second: "#1c1c1c", ratio: 5.9989067, oklch: [0.6835519, 0.1731896, 250.3531]),
    ReferenceContrast(
        first: "#030303", second: "#01911f", ratio: 4.9803564, oklch: [0.0969258, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#716b72", second: "#435704", ratio: 1.5548079, oklch: [0.5355703, 0.0129968, 321.3508]),
    ReferenceContrast(
        first: "#852f8c", second: "#004452", ratio: 1.4280377, oklch: [0.4679039, 0.1645630, 324.6590]),
    ReferenceContrast(
        first: "#00d1ac", second: "#607c65", ratio: 2.3456158, oklch: [0.7677122, 0.1463175, 173.7973]),
    ReferenceContrast(
        first: "#26430b", second: "#344400", ratio: 1.0437888, oklch: [0.3471499, 0.0882026, 133.3730]),
    ReferenceContrast(
        first: "#003c00", second: "#383a39", ratio: 1.1130631, oklch: [0.3086078, 0.1050113, 142.4953]),
    ReferenceContrast(
        first: "#5c3b8e", second: "#88868a", ratio: 2.3566451, oklch: [0.4329746, 0.1328424, 299.1134]),
    ReferenceContrast(
        first: "#1d1d1d", second: "#a3a3a3", ratio: 6.6828715, oklch: [0.2307505, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#007500", second: "#2500b8", ratio: 2.0016492, oklch: [0.4872900, 0.1658123, 142.4953]),
    ReferenceContrast(
        first: "#686868", second: "#ffd0ff", ratio: 4.1708981, oklch: [0.5173031, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#949494", second: "#1d1c23", ratio: 5.5711343, oklch: [0.6665481, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#242424", second: "#767676", ratio: 3.4174684, oklch: [0.2603248, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#c52d1a", second: "#87847e", ratio: 1.4959736, oklch: [0.5394294, 0.1909476, 30.8414]),
    ReferenceContrast(
        first: "#d8ffb5", second: "#787e7a", ratio: 3.7304455, oklch: [0.9546340, 0.1041282, 130.7419]),
    ReferenceContrast(
        first: "#c4cac8", second: "#242424", ratio: 9.3354505, oklch: [0.8337475, 0.0071349, 174.3365]),
    ReferenceContrast(
        first: "#003200", second: "#202c2b", ratio: 1.0002353, oklch: [0.2747792, 0.0935003, 142.4953]),
    ReferenceContrast(
        first: "#00ffb1", second: "#141414", ratio: 13.9819776, oklch: [0.8839085, 0.1935298, 162.1114]),
    ReferenceContrast(
        first: "#545454", second: "#e223a8", ratio: 1.8174948, oklch: [0.4458978, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#0f0f0f", second: "#352a00", ratio: 1.3532843, oklch: [0.1684161, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#c8c3ce", second: "#000d00", ratio: 11.4916355, oklch: [0.8245116, 0.0161087, 306.3686]),
    ReferenceContrast(
        first: "#0c160c", second: "#bcbebe", ratio: 9.9032872, oklch: [0.1866968, 0.0248619, 144.4993]),
    ReferenceContrast(
        first: "#2e2e2e", second: "#b3b3b3", ratio: 6.4767202, oklch: [0.3011838, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#ced7dc", second: "#232d1f", ratio: 9.8035915, oklch: [0.8737426, 0.0119884, 231.6748]),
    ReferenceContrast(
        first: "#e3f7ff", second: "#527358", ratio: 4.8114192, oklch: [0.9638198, 0.0236378, 223.6699]),
    ReferenceContrast(
        first: "#131313", second: "#41ff95", ratio: 14.1227453, oklch: [0.1867412, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#2f00f2", second: "#5e6464", ratio: 1.4494122, oklch: [0.4478773, 0.2923216, 270.4689]),
    ReferenceContrast(
        first: "#fff9eb", second: "#a0cfb0", ratio: 1.6603851, oklch: [0.9829840, 0.0194945, 87.5112]),
    ReferenceContrast(
        first: "#ff542f", second: "#111b1f", ratio: 5.4664776, oklch: [0.6768113, 0.2131924, 33.7147]),
    ReferenceContrast(
        first: "#180e00", second: "#1a0c1a", ratio: 1.0088721, oklch: [0.1730026, 0.0357670, 80.6545]),
    ReferenceContrast(
        first: "#172622", second: "#868686", ratio: 4.3148495, oklch: [0.2535443, 0.0218251, 175.9866]),
    ReferenceContrast(
        first: "#21ff90", second: "#411f43", ratio: 10.5009990, oklch: [0.8792940, 0.2184034, 153.5706]),
    ReferenceContrast(
        first: "#000000", second: "#000000", ratio: 1.0000000, oklch: [0.0000000, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#147544", second: "#0066de", ratio: 1.0813431, oklch: [0.4970571, 0.1155082, 154.9905]),
    ReferenceContrast(
        first: "#1b5600", second: "#210064", ratio: 1.9041469, oklch: [0.3987130, 0.1255816, 138.9518]),
    ReferenceContrast(
        first: "#294a3a", second: "#ff0f03", ratio: 2.4931001, oklch: [0.3783954, 0.0480097, 161.8697]),
    ReferenceContrast(
        first: "#01100e", second: "#48772b", ratio: 3.6506665, oklch: [0.1567624, 0.0252897, 185.2763]),
    ReferenceContrast(
        first: "#290014", second: "#525252", ratio: 2.4334679, oklch: [0.1834800, 0.0753410, 354.9531]),
    ReferenceContrast(
        first: "#68b35a", second: "#969696", ratio: 1.1527311, oklch: [0.6968992, 0.1445403, 140.5668]),
    ReferenceContrast(
        first: "#e3e3e3", second: "#1f2600", ratio: 12.2523104, oklch: [0.9158315, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#000033", second: "#252930", ratio: 1.3728925, oklch: [0.1451382, 0.1005708, 264.0520]),
    ReferenceContrast(
        first: "#dad1fe", second: "#0e0b0b", ratio: 13.5642746, oklch: [0.8823152, 0.0620912, 294.2606]),
    ReferenceContrast(
        first: "#5d185f", second: "#b5a8b4", ratio: 5.2372834, oklch: [0.3538990, 0.1336287, 326.7489]),
    ReferenceContrast(
        first: "#000000", second: "#ffffd7", ratio: 20.5373086, oklch: [0.0000000, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#000033", second: "#4d4d4d", ratio: 2.3709445, oklch: [0.1451382, 0.1005708, 264.0520]),
    ReferenceContrast(
        first: "#070707", second: "#64607f", ratio: 3.3779273, oklch: [0.1285578, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#9d9d9d", second: "#abd2b7", ratio: 1.6315897, oklch: [0.6960069, 0.0000000, 0.0000]),
    ReferenceContrast(
        first: "#006eff", second: "#001018", ratio: 4.2988274, oklch: [0.5787644, 0.2316072, 259.6380]),
    ReferenceContrast(
        first: "#2d261e", second: "#03153d", ratio: 1.1943687, oklch: [0.2737909, 0.0176480, 70.7156]),
    ReferenceContrast(
        first: "#c7ecee", second: "#828080", ratio: 3.1150548, oklch: [0.9173423, 0.0385425, 200.5273]),
]
