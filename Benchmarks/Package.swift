// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds Moody builds its benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Moody", path: "..")],
    targets: [
        .systemLibrary(name: "Cturbo", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
        // The limit an ingest is measured against: libjpeg-turbo alone.
        .executableTarget(name: "turbo-decode", dependencies: ["Cturbo"], linkerSettings: [.linkedLibrary("pthread")]),
        // Runs two commands in turn and prints medians and their ratio.
        .executableTarget(name: "bench-run"),
        .executableTarget(
            name: "palette-bench", dependencies: [.product(name: "Palettes", package: "Moody")]),
    ]
)
