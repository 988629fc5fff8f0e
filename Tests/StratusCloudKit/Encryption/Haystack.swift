import Foundation
import StratusCloudCrypto

/// Bytes in which something is looked for, in every form in which it may have been written.
struct Haystack {
    private let data: Data

    init(_ bytes: [UInt8]) { data = Data(bytes) }

    /// Whether it is there: as it is, as hexadecimal, as UTF-16, or in base64 at any place of a longer text.
    func contains(_ needle: [UInt8]) -> Bool {
        let hex = Hex.encode(needle)
        var forms = [Data(needle), Data(hex.utf8), Data(hex.uppercased().utf8)]
        forms.append(Data(needle.flatMap { [$0, 0] }))
        for shift in 0..<3 {
            // Without the letters that depend on what stands before and behind.
            let whole = Data([UInt8](repeating: 0, count: shift) + needle).base64EncodedString()
            let inner = whole.dropFirst(shift == 0 ? 0 : shift + 1).dropLast(4)
            forms.append(Data(inner.utf8))
            forms.append(Data(inner.replacing("+", with: "-").replacing("/", with: "_").utf8))
            forms.append(Data(inner.replacing("/", with: "\\/").utf8))
        }
        return forms.contains { data.range(of: $0) != nil }
    }
}
