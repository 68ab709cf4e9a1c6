import Foundation
import Palettes

/// palette-bench reference FOLDER REFERENCE [STARTS]   the slow k-means; append what it prints to REFERENCE
///               quality FOLDER REFERENCE [-v]         area palettes against it
///               modes FOLDER | palettes FOLDER MODE K | swatches TABLE MODE K   the two modes; for score.py
///               halves FOLDER HALVES                  how steady palettes are when the picture is half the size
///               speed FOLDER | timed FOLDER K         time of one core
/// FOLDER holds PPM files (scripts/bench makes them); REFERENCE is docs/measurements/palette-reference.tsv.
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    print("usage: palette-bench reference|quality|modes|palettes|swatches|halves|speed FOLDER ...")
    exit(64)
}
let table = arguments.count > 2 ? (try? String(contentsOfFile: arguments[2], encoding: .utf8)) ?? "" : ""
var reference: [String: Double] = [:]
for line in table.split(separator: "\n") {
    let fields = line.split(separator: "\t")
    if fields.count == 4 { reference["\(fields[0])\t\(fields[1])"] = Double(fields[2]) }
}

switch arguments[0] {
case "reference":
    let starts = arguments.count > 3 ? Int(arguments[3]) ?? 200 : 200
    try printReference(folder: arguments[1], starts: starts, known: Set(reference.keys))
case "quality":
    try printQuality(folder: arguments[1], reference: reference, verbose: arguments.contains("-v"))
case "palettes":
    try printPalettes(
        folder: arguments[1], mode: PaletteMode(rawValue: arguments[2])!, count: Int(arguments[3])!)
case "swatches":
    try printSwatchPalettes(
        table: arguments[1], mode: PaletteMode(rawValue: arguments[2])!, count: Int(arguments[3])!)
case "modes":
    try printModes(folder: arguments[1])
case "halves":
    try printHalves(folder: arguments[1], halves: arguments[2])
case "timed":
    try printTimed(folder: arguments[1], count: Int(arguments[2])!)
case "speed":
    try printSpeed(folder: arguments[1])
default:
    print("palette-bench: what is \(arguments[0])?")
    exit(64)
}
