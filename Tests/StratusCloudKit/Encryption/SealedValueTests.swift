import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudKit

@Suite struct SealedValueTests {
    private let random = RandomSource.seeded(1)
    private let place = ValuePlace(
        account: AccountPlace(container: "iCloud.org.example", user: "_a"), zoneName: "Notes", recordType: "Note",
        recordName: "n", field: "secret")

    @Test("a value that is put elsewhere does not open") func places() throws {
        let key = ZoneKey(random.bytes(32))
        let keys = try #require(ZoneKeys([key]))
        let value = PlainValue.scalar(.string("secret"))
        let sealed = SealedValue(value, for: place, with: key, nonce: random.bytes(12))
        #expect(try sealed.open(at: place, with: keys) == value)
        let changes: [(inout ValuePlace) -> Void] = [
            { $0.account.container += "2" }, { $0.account.user = "_b" }, { $0.zoneName = "Other" },
            { $0.recordType = "Other" }, { $0.recordName = "m" }, { $0.field = "other" },
            // The parts are told apart, not only written one after another.
            {
                $0.recordName = "ns"
                $0.field = "ecret"
            },
        ]
        for change in changes {
            var other = place
            change(&other)
            #expect(throws: SealedValue.Failure.notAuthentic) { try sealed.open(at: other, with: keys) }
        }
    }

    @Test("every bit and every length counts") func tampering() throws {
        let key = ZoneKey(random.bytes(32))
        let keys = try #require(ZoneKeys([key]))
        let sealed = SealedValue(.scalar(.int64(7)), for: place, with: key, nonce: random.bytes(12)).bytes
        for bit in 0..<sealed.count * 8 {
            var tampered = sealed
            tampered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealedValue.Failure.self) {
                try SealedValue(tampered).open(at: place, with: keys)
            }
        }
        for count in 0..<sealed.count {
            #expect(throws: SealedValue.Failure.self) {
                try SealedValue(Array(sealed.prefix(count))).open(at: place, with: keys)
            }
        }
        #expect(throws: SealedValue.Failure.notAuthentic) {
            try SealedValue(sealed + [0]).open(at: place, with: keys)
        }
        #expect(throws: SealedValue.Failure.unknownFormat) { try SealedValue([2] + sealed.dropFirst()) }
        let other = ZoneKey(random.bytes(32))
        let others = try #require(ZoneKeys([other]))
        #expect(throws: SealedValue.Failure.unknownKey(key.id)) {
            try SealedValue(sealed).open(at: place, with: others)
        }
    }

    @Test("what has been authenticated but is no value is refused") func malformedValues() {
        let cases: [[UInt8]] = [
            [], [0], [9], [7, 0, 0, 0, 0], [1, 0, 0, 0, 5, 65], [1, 0xFF, 0xFF, 0xFF, 0xFF], [2, 0, 0],
            [0x80, 0, 0, 0, 1],
            [0x81, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0, 1, 0xFF], [1, 0, 0, 0, 0, 1],
            [6] + [UInt8](repeating: 0, count: 16) + [0x40],
        ]
        for bytes in cases { #expect(throws: FrameReader.Malformed.self) { try PlainValue(bytes) } }
    }

    @Test("any value comes back bit for bit; lengths tell little", arguments: [Seed.draw()])
    func anyValue(_ seed: UInt64) throws {
        var generator = ValueGenerator(RandomSource.seeded(seed))
        for _ in 0..<2_000 {
            let value = generator.value()
            let bytes = value.bytes
            #expect(bytes.count % PlainValue.block == 0)
            // Compared as bytes: a NaN is not equal to itself.
            #expect(try PlainValue(bytes).bytes == bytes, "seed \(seed): \(value)")
        }
        let short: [ScalarValue] = [
            .int64(0), .int64(.min), .double(0.1), .string("hello there"), .bytes([1]), .string(""),
        ]
        #expect(Set(short.map { PlainValue.scalar($0).bytes.count }) == [16])
    }
}

/// Makes values of every type.
struct ValueGenerator {
    private let random: RandomSource

    init(_ random: RandomSource) { self.random = random }

    func below(_ bound: Int) -> Int { Int(random.integer() % UInt64(bound)) }

    mutating func value() -> PlainValue {
        let types: [ScalarType] = [.string, .int64, .double, .timestamp, .bytes, .location]
        let type = types[below(types.count)]
        guard below(3) == 0 else { return .scalar(scalar(type)) }
        let elements = (0..<below(5)).map { _ in scalar(type) }
        return .list(of: elements.isEmpty ? nil : type, elements)
    }

    func scalar(_ type: ScalarType) -> ScalarValue {
        switch type {
        case .string: .string(String((0..<below(40)).map { _ in ["a", "é", "世", "👩‍👩‍👧", "\0", "\n"][below(6)] }))
        case .int64: .int64(Int64(bitPattern: random.integer() >> UInt64(below(64))))
        case .double: .double(Double(bitPattern: random.integer()))
        case .timestamp: .timestamp(timestamp())
        case .bytes: .bytes(random.bytes(below(70)))
        case .location, .reference, .asset: .location(location())
        }
    }

    private func timestamp() -> Timestamp {
        let seconds = Double(Int64(bitPattern: random.integer()) >> 20) * 0.001 * Double(below(3))
        return Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) ?? Timestamp(milliseconds: 0)
    }

    private func location() -> Location {
        func perhaps() -> Double? { below(2) == 0 ? nil : Double(bitPattern: random.integer()) }
        return Location(
            latitude: Double(below(180_000)) / 1_000 - 90, longitude: Double(below(360_000)) / 1_000 - 180,
            horizontalAccuracy: perhaps(), verticalAccuracy: perhaps(), altitude: perhaps(), speed: perhaps(),
            course: perhaps(), timestamp: below(2) == 0 ? nil : timestamp())
    }
}
