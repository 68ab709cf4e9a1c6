#if DEBUG
internal import CSandbox
internal import Glibc

/// A decoder under an attacker's control, in workers of debug builds: photos of tests name what it does.
///
/// Does nothing unless the environment has `MOODY_PLANTED_DECODERS`.
struct PlantedDecoder {
    private static let mark = Array("moody-planted:".utf8)
    private let name: String

    init?(in photo: [UInt8]) {
        guard unsafe getenv("MOODY_PLANTED_DECODERS") != nil else { return nil }
        guard let first = Self.mark.first, photo.count > Self.mark.count else { return nil }
        // Tests put it at the end.
        let tail = photo.suffix(256)
        guard
            let start = tail.indices.first(where: {
                tail[$0] == first && tail[$0...].starts(with: Self.mark)
            })
        else { return nil }
        let word = tail[(start + Self.mark.count)...].prefix { $0 > 32 && $0 < 127 }
        name = String(decoding: word, as: UTF8.self)
    }

    /// Does what was asked for. Nil for no such thing.
    func message(_ inside: csandbox_inside) -> WorkerMessage? {
        if let answer = wrongAnswer(inside) { return answer }
        // SAFETY: a string that is only read.
        let refusal: ImageError? =
            switch unsafe csandbox_attack(name) {
            case .succeeded: .corrupt("\(name) succeeded")
            case .refused: .corrupt("\(name) was refused")
            case .unknown: nil
            }
        return refusal.map { answer(.failure($0), inside) }
    }

    private func answer(
        _ result: Result<Picture, ImageError>, _ inside: csandbox_inside,
        changing change: (inout [UInt8]) -> Void = { _ in }
    ) -> WorkerMessage {
        var (record, pixels) = PictureRecord.encoded(result)
        change(&record)
        let all = record + pixels.joined()
        _ = SharedFile(inside.file).write(all, at: 0)
        return .answer(record: record.count, pixels: all.count - record.count)
    }

    private func wrongAnswer(_ inside: csandbox_inside) -> WorkerMessage? {
        var metadata = PhotoMetadata()
        (metadata.latitude, metadata.longitude) = (.nan, 0)
        let pixels = [UInt8](repeating: 1, count: 64)
        func picture(_ metadata: PhotoMetadata, notes: [String] = []) -> Result<Picture, ImageError> {
            .success(
                Picture(
                    format: .png, width: 4, height: 4,
                    image: Image(checkedWidth: 4, height: 4, rgba: pixels), sample: [], sampleWidth: nil,
                    sampleResolution: nil, orientation: 1, wide: nil, metadata: metadata, notes: notes))
        }
        switch name {
        case "answer-lengths": return .answer(record: 1 << 40, pixels: 1 << 62)
        case "answer-negative": return .answer(record: -1, pixels: -1)
        case "answer-memory": return .needsMemory(.max)
        case "answer-forbidden": return .forbidden(call: .min)
        case "answer-ready": return .ready(.init(hasSeccomp: true, landlock: 7), memory: 0)
        case "answer-nan": return answer(picture(metadata), inside)
        case "answer-counts":
            // Columns of the photo and of the picture, from 4 on: some 1,000 million.
            return answer(picture(PhotoMetadata()), inside) { ($0[11], $0[27]) = (0x40, 0x40) }
        case "answer-text":
            return answer(picture(PhotoMetadata(), notes: ["a\u{1}b"]), inside) { record in
                for index in record.indices where record[index] == 0x20 { record[index] = 0x1B }
            }
        case "answer-noise":
            return answer(picture(PhotoMetadata()), inside) { record in
                for index in record.indices { record[index] = UInt8(SplitMix64.hash(index) & 0xFF) }
            }
        default: return nil
        }
    }
}
#endif
