import Foundation

/// Reads what ``CompactWriter`` writes, and checks every bound.
package struct CompactReader {
    /// The reason why bytes cannot be read.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    private let bytes: [UInt8]
    private var place = 0
    private var zones: [CKRecordZone.ID] = []

    package init(_ data: Data) { bytes = Array(data) }

    package var isAtEnd: Bool { place == bytes.count }

    package mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw Failure("it ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    package mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
        }
        throw Failure("a number is too large")
    }

    /// Reads a number of eight bytes.
    package mutating func fixed() throws -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    package mutating func flag() throws -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw Failure("a flag is neither set nor not") }
        return byte == 1
    }

    /// Reads how many elements follow, each of a byte at least.
    package mutating func count() throws -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw Failure("it ends too early") }
        return Int(count)
    }

    package mutating func text() throws -> String? {
        let length = try number()
        guard length > 0 else { return nil }
        guard let text = String(validating: try take(length - 1), as: UTF8.self) else {
            throw Failure("a text is not UTF-8")
        }
        return text
    }

    package mutating func requiredText() throws -> String {
        guard let text = try text() else { throw Failure("a name is missing") }
        return text
    }

    package mutating func blob() throws -> Data { Data(try take(try number())) }

    package mutating func zone() throws -> CKRecordZone.ID {
        let number = try number()
        if number < UInt64(zones.count) { return zones[Int(number)] }
        guard number == UInt64(zones.count) else { throw Failure("there is no such zone") }
        let zoneID = CKRecordZone.ID(zoneName: try requiredText(), ownerName: try requiredText())
        zones.append(zoneID)
        return zoneID
    }

    private mutating func take(_ length: UInt64) throws -> ArraySlice<UInt8> {
        guard length <= UInt64(bytes.count - place) else { throw Failure("it ends too early") }
        let end = place + Int(length)
        defer { place = end }
        return bytes[place..<end]
    }
}
