import Foundation
import StoreTools
import Testing

/// Bytes in stores that look like JSON.
@Suite struct DamagedValueTests {
    @Test func `every change of one byte of a JSON text is shown as it is, or as bytes`() {
        let json = Data(#"{"a":[1,-2.5e3,true,null,"é\u00e9\n"],"b":{}}"#.utf8)
        var changed = json, shown = 0, hidden = 0
        for index in json.indices {
            for value in UInt8.min...UInt8.max where value != json[index] {
                changed[index] = value
                if let text = ArchivedText.text(of: changed) {
                    #expect(Data(text.utf8) == changed)
                    shown += 1
                } else {
                    hidden += 1
                }
            }
            changed[index] = json[index]
        }
        #expect(shown > 500 && hidden > 1_000)
        let deep = String(repeating: "[", count: 1 << 19) + String(repeating: "]", count: 1 << 19)
        #expect(ArchivedText.text(of: Data(deep.utf8)) == nil)
    }
}
