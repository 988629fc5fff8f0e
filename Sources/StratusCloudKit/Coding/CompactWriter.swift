import Foundation

/// Writes values as few bytes without names: texts, data and lists after their length, and numbers seven bits at a time.
package struct CompactWriter {
    private var bytes: [UInt8] = []
    private var zones: [CKRecordZone.ID: UInt64] = [:]

    package init() {}

    package var data: Data { Data(bytes) }

    package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    package mutating func number(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes eight bytes, whatever the number is.
    package mutating func fixed(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// Writes the length and one more, so that 0 stands for nil.
    package mutating func text(_ text: String?) {
        guard let text else { return number(0) }
        number(UInt64(text.utf8.count) + 1)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func blob(_ data: Data) {
        number(UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    /// A zone is spelled out once. Later its number stands for it.
    package mutating func zone(_ zoneID: CKRecordZone.ID) {
        if let known = zones[zoneID] { return number(known) }
        let next = UInt64(zones.count)
        zones[zoneID] = next
        number(next)
        text(zoneID.zoneName)
        text(zoneID.ownerName)
    }

    package mutating func list<Elements: Collection>(
        _ list: Elements, _ write: (inout CompactWriter, Elements.Element) -> Void
    ) {
        number(UInt64(list.count))
        for element in list { write(&self, element) }
    }
}
