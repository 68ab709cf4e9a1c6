import Foundation
import Testing

@testable import MoodyModel

/// Lines of records, which anybody may send.
@Suite struct DamagedLineTests {
    @Test func `every change of one byte of a line is a record or an error`() {
        let text =
            #"{"v":1,"path":"é","size":9,"mtimeNs":5,"taken":"2024-05-06","error":"\u00e9","n":[-1.5e3]}"#
        let line = Data(text.utf8)
        var changed = line, records = 0, errors = 0
        for index in line.indices {
            for value in UInt8.min...UInt8.max where value != line[index] {
                changed[index] = value
                if (try? PhotoRecord(line: changed)) == nil { errors += 1 } else { records += 1 }
                _ = try? PhotoRecord.key(ofLine: changed)
            }
            changed[index] = line[index]
        }
        #expect(records > 1_000 && errors > 1_000)
    }
}
