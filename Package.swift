// swift-tools-version: 6.2
import PackageDescription

// Every Swift target builds under the same rules; nothing opts out.
let commonSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Codecs and palettes take most of the time of the tests. scripts/build optimizes them in debug builds too, with
/// every check of those. A package that depends on this one may have no unsafe flags.
let optimized: (swift: [SwiftSetting], c: [CSetting]) =
    Context.environment["MOODY_OPTIMIZED"] != "1"
    ? ([], [])
    : (
        [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))],
        [.unsafeFlags(["-O2"], .when(configuration: .debug))]
    )

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
/// What the live gallery speaks HTTP with.
let http: [Target.Dependency] = [
    ("Hummingbird", "hummingbird"), ("HummingbirdCore", "hummingbird"), ("HTTPTypes", "swift-http-types"),
    ("NIOCore", "swift-nio"), ("NIOHTTPTypes", "swift-nio-extras"),
    ("ServiceLifecycle", "swift-service-lifecycle"),
].map { .product(name: $0.0, package: $0.1, condition: .when(traits: ["Server"])) }

/// A C library that is built in with a trait, or not at all.
func library(_ name: String, trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}

/// Builds the documentation: scripts/docs. Nobody else fetches it.
let plugins: [Package.Dependency] =
    Context.environment["MOODY_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
    name: "Moody",
    products: [
        .library(name: "ManagedObjects", targets: ["ManagedObjects"]),
        .library(name: "DataStacks", targets: ["DataStacks"]),
        .library(name: "Images", targets: ["Images"]),
        .library(name: "Palettes", targets: ["Palettes"]),
        .executable(name: "moody", targets: ["moody"]),
    ],
    // JPEG and PNG are always read. The others want libraries that not every machine has:
    // swift build --traits WebP,HEIF,AVIF or --enable-all-traits.
    traits: [
        // The live gallery. On unless traits are named: 24 packages stand behind its HTTP library.
        .default(enabledTraits: ["Server"]),
        .trait(name: "Server", description: "moody serve: the live gallery, with Hummingbird"),
        .trait(name: "WebP", description: "Reads WebP, with libwebp"),
        .trait(name: "HEIF", description: "Reads HEIC, with libde265"),
        .trait(name: "AVIF", description: "Reads AVIF, with libavif"),
        .trait(name: "JXL", description: "Reads JPEG XL, with libjxl"),
        .trait(name: "TIFF", description: "Reads TIFF, with libtiff"),
        .trait(name: "GIF", description: "Reads the first picture of a GIF, with giflib"),
        .trait(name: "Archives", description: "Reads photos in tar and zip archives, with libarchive"),
        .trait(name: "RAW", description: "Reads the previews in cameras' raw files, with LibRaw"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // 7.10 is the first GRDB that links with the system's SQLite on Linux.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // For the trait Server alone. Hummingbird without its traits reads no configuration; the packages
        // below it are those that it stands on.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
    ] + plugins,
    targets: [
        // Floor 0: the doors to C. Each names the Debian package that SwiftPM suggests when it is missing.
        .systemLibrary(name: "Cjpeg", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
        .systemLibrary(name: "Cpng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "Clcms2", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .systemLibrary(name: "Cxxhash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "Cexpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "Czlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "Clibmd", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),
        .systemLibrary(name: "Cwebp", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "Ctiff", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"])]),
        .systemLibrary(name: "Cgif", pkgConfig: "libgif", providers: [.apt(["libgif-dev"])]),
        .systemLibrary(name: "Carchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CLanes"),
        .systemLibrary(name: "CLinux"),
        // Tables of data in the program itself, so that it is one file.
        .target(
            name: "CTables",
            exclude: [
                "country-arcs.bin", "color-names-css.txt", "color-names-survey.txt", "color-vision.tsv",
            ]),
        // Processes that can do nothing but compute: what decoders run in.
        .target(name: "CSandbox"),
        // What reads archives in such a process.
        .target(
            name: "CArchives", dependencies: ["CSandbox", library("Carchive", trait: "Archives")],
            cSettings: [.define("CARCHIVES", .when(traits: ["Archives"]))]),
        // Scripts, styles and templates, in the same way.
        .target(name: "CResources"),
        .target(
            name: "CImage",
            dependencies: [
                "Cjpeg", "Cpng", "Clcms2", "Cxxhash", library("Cwebp", trait: "WebP"),
                library("Ctiff", trait: "TIFF"),
                library("Cgif", trait: "GIF"),
            ],
            cSettings: [
                .define("CIMAGE_WEBP", .when(traits: ["WebP"])),
                .define("CIMAGE_HEIF", .when(traits: ["HEIF"])),
                .define("CIMAGE_AVIF", .when(traits: ["AVIF"])),
                .define("CIMAGE_JXL", .when(traits: ["JXL"])),
                .define("CIMAGE_TIFF", .when(traits: ["TIFF"])),
                .define("CIMAGE_GIF", .when(traits: ["GIF"])),
                .define("CIMAGE_RAW", .when(traits: ["RAW"])),
            ] + optimized.c,
            cxxSettings: [.define("CIMAGE_RAW", .when(traits: ["RAW"]))],
            linkerSettings: [
                // Of libde265-dev: HEIC is decoded with it.
                .linkedLibrary("de265", .when(traits: ["HEIF"])),
                // Of libavif-dev. Its pkg-config file defines a word, which SwiftPM warns of.
                .linkedLibrary("avif", .when(traits: ["AVIF"])),
                // Of libjxl-dev, whose pkg-config file does, too.
                .linkedLibrary("jxl", .when(traits: ["JXL"])),
                // Of libraw-dev. Its pkg-config file asks for OpenMP, which SwiftPM warns of and LibRaw's
                // callers do not need.
                .linkedLibrary("raw_r", .when(traits: ["RAW"])),
            ]),

        // SHA-2, for a store's version hashes and a page's security policy: two rooms that share nothing
        // else.
        .target(name: "Digests", dependencies: ["Clibmd"], swiftSettings: commonSettings),

        // Texts that leave the program: JSON, CSV, hexadecimal digits, and what a terminal may get.
        .target(name: "Texts", swiftSettings: commonSettings),

        // Floor 1: three libraries that know nothing of moods, nor of each other.
        .target(
            name: "ManagedObjects",
            dependencies: [grdb, sqlite, "CLinux", "Cexpat", "Czlib", "Digests", "Texts"],
            swiftSettings: commonSettings),
        .target(
            name: "Images", dependencies: ["CArchives", "CImage", "CLanes", "CSandbox"],
            swiftSettings: commonSettings + optimized.swift),
        .target(
            name: "Palettes", dependencies: ["CLanes", "CTables", "Texts"],
            swiftSettings: commonSettings + optimized.swift),

        // Floor 1b: transactions and imports. The module is plural because a module may not share the
        // name of a class in it: `DataStack.From` would look for a member of the class.
        .target(
            name: "DataStacks", dependencies: ["ManagedObjects", logging], swiftSettings: commonSettings),

        // Floor 1c: what stores and models say, as text. Knows nothing of moods either.
        .target(
            name: "StoreTools", dependencies: ["ManagedObjects", "Texts"], swiftSettings: commonSettings),

        // Floor 2: what a mood is. Takes values only: no file, no pixel.
        .target(
            name: "MoodyModel",
            dependencies: ["CTables", "DataStacks", "ManagedObjects", "Palettes", "Texts"],
            swiftSettings: commonSettings),

        // Floor 3: the one writer and the one reader. They never import each other.
        .target(
            name: "MoodyIngest",
            dependencies: [
                "CLinux", "Images", "Palettes", "ManagedObjects", "DataStacks", "MoodyModel", "Texts",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "MoodyGallery",
            dependencies: [
                "CResources", "Digests", "ManagedObjects", "DataStacks", "MoodyModel", "Palettes", "Texts",
            ],
            exclude: ["Resources"],
            swiftSettings: commonSettings),

        // Floor 4: the live gallery. Without the trait it is empty.
        .target(
            name: "MoodyServer",
            dependencies: [
                "Czlib", "DataStacks", "Digests", "Images", "ManagedObjects", "MoodyGallery", "MoodyIngest",
                "MoodyModel", "Palettes", "Texts", logging,
            ] + http,
            exclude: ["Resources"],
            swiftSettings: commonSettings),

        // Floor 5: the command.
        .executableTarget(
            name: "moody",
            dependencies: [
                "Images", "Palettes", "ManagedObjects", "DataStacks", "MoodyModel", "MoodyIngest",
                "MoodyGallery", "StoreTools", "Texts", argumentParser, logging,
                .target(name: "MoodyServer", condition: .when(traits: ["Server"])),
            ], swiftSettings: commonSettings),

        // The book's first chapter, as a program of its own.
        .executableTarget(
            name: "MoodyBook", dependencies: ["ManagedObjects", "MoodyIngest", "Palettes"],
            path: "Samples/MoodyBook", swiftSettings: commonSettings),

        // CoreStore's way through a program, as the guide has it.
        .executableTarget(
            name: "StackTour", dependencies: ["DataStacks", "ManagedObjects"], path: "Samples/StackTour",
            exclude: ["People.xcdatamodeld"], swiftSettings: commonSettings),

        // Tools of several test targets.
        .target(
            name: "TestSupport", dependencies: [grdb], path: "Tests/Support", swiftSettings: commonSettings),
        .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: commonSettings),
        .testTarget(name: "TextsTests", dependencies: ["Texts"], swiftSettings: commonSettings),
        .testTarget(
            name: "ManagedObjectsTests", dependencies: ["ManagedObjects", "Digests", "TestSupport", grdb],
            exclude: ["Fixtures"], swiftSettings: commonSettings),
        .testTarget(
            name: "StoreToolsTests", dependencies: ["StoreTools", "ManagedObjects"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "ImagesTests", dependencies: ["Images", "CImage"], resources: [.copy("Fixtures")],
            swiftSettings: commonSettings),
        .testTarget(
            name: "PalettesTests", dependencies: ["Palettes", "TestSupport"], swiftSettings: commonSettings),
        .testTarget(
            name: "DataStacksTests",
            dependencies: ["DataStacks", "ManagedObjects", "StackTour", "TestSupport", logging],
            swiftSettings: commonSettings),
        .testTarget(
            name: "MoodyModelTests",
            dependencies: ["MoodyModel", "DataStacks", "ManagedObjects", "Palettes"],
            resources: [.copy("Fixtures")], swiftSettings: commonSettings),
        .testTarget(
            name: "MoodyIngestTests",
            dependencies: [
                grdb, "MoodyIngest", "MoodyModel", "DataStacks", "ManagedObjects", "Images", "Palettes",
                "TestSupport",
            ],
            resources: [.copy("Fixtures")], swiftSettings: commonSettings),
        .testTarget(
            name: "MoodyGalleryTests",
            dependencies: [
                "MoodyGallery", "MoodyModel", "DataStacks", "ManagedObjects", "Palettes", "TestSupport",
            ],
            resources: [.copy("Fixtures")], swiftSettings: commonSettings),
        .testTarget(
            name: "MoodyServerTests",
            dependencies: [
                "DataStacks", "Images", "ManagedObjects", "MoodyGallery", "MoodyIngest", "MoodyModel",
                "MoodyServer", "Palettes", "TestSupport",
            ]
                + ["NIOCore", "NIOEmbedded"].map {
                    .product(name: $0, package: "swift-nio", condition: .when(traits: ["Server"]))
                },
            swiftSettings: commonSettings),
        .testTarget(
            name: "CommandTests", dependencies: ["moody", "MoodyBook", "MoodyIngest", "TestSupport"],
            resources: [.copy("Fixtures")],
            swiftSettings: commonSettings),
    ]
)
