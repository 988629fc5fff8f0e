import Testing

@testable import StratusHTTPTransport

/// Texts that are looked through by words say the same as byte by byte, wherever the byte stands.
@Suite struct TextTests {
    @Test(arguments: 0...20) func oneByteAmongOthers(length: Int) {
        for place in 0..<max(length, 1) {
            for byte: UInt8 in [0x00, 0x09, 0x1F, 0x20, 0x21, 0x7E, 0x7F] {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                if length > 0 { bytes[place] = byte }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text.hasControls == bytes.contains { $0 < 0x20 || $0 == 0x7F }, "\(bytes)")
                #expect(text.isVisibleASCII == bytes.allSatisfy { (0x21...0x7E).contains($0) }, "\(bytes)")
            }
        }
        let accented = String(repeating: "a", count: length) + "é"
        #expect(!accented.hasControls && !accented.isVisibleASCII)
    }
}
