// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds Moody builds its benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "Moody", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The limit an ingest is measured against: libjpeg-turbo alone.
        .executableTarget(
            name: "turbo-decode", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("pthread")]),
        // Runs two commands in turn and prints medians and their ratio.
        .executableTarget(name: "bench-run"),
        .target(name: "CTurbo", linkerSettings: [.linkedLibrary("jpeg")]),
        .executableTarget(
            name: "image-bench", dependencies: ["CTurbo", .product(name: "Images", package: "Moody")]),
        // The rival of managed objects: GRDB's records.
        .executableTarget(
            name: "object-bench",
            dependencies: [
                .product(name: "ManagedObjects", package: "Moody"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // The rivals of stacks: managed objects without one, and GRDB's records.
        .executableTarget(
            name: "stack-bench",
            dependencies: [
                .product(name: "DataStacks", package: "Moody"),
                .product(name: "ManagedObjects", package: "Moody"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "palette-bench", dependencies: [.product(name: "Palettes", package: "Moody")]),
    ]
)
