extension ImageFormat {
    /// Where a photo ends in the first bytes of its file: what follows is a film, other pictures, or nothing
    /// of its own.
    ///
    /// - Parameter start: the file's, or all of them.
    /// - Returns: one past the end marker of a JPEG; nil when it is not among the bytes, or in doubt, and for
    ///   other kinds.
    /// - Complexity: O(*n*), one search for the bytes that begin markers.
    public static func end(in start: [UInt8]) -> Int? {
        guard start.starts(with: [0xFF, 0xD8]) else { return nil }
        var markers = JPEGMarkers(start)
        return markers.skipScans() == .end ? markers.position : nil
    }
}

extension JPEGMarkers {
    /// Whether a JPEG ends without its end marker.
    static func endEarly(_ bytes: [UInt8]) -> Bool {
        var markers = JPEGMarkers(bytes)
        return markers.skipScans() == .cut
    }

    /// Reads on behind the last scan.
    fileprivate mutating func skipScans() -> Event {
        while true {
            let event = next()
            guard case .scan = event else { return event }
            skipData()
        }
    }
}
