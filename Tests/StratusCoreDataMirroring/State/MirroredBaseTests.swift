import Foundation
import StratusCloudKit
import StratusSeeds
import Testing

@testable import StratusCoreDataMirroring

/// The form in which the tables keep what an object and its record had last in common.
@Suite struct MirroredBaseTests {
    private func base(_ random: inout SeededRandom) -> MirroredBase {
        let texts = ["", "title", "Käse \u{1F9C0}", String(repeating: "x", count: 200)]
        let values: [MirroredValue] = [
            .string(texts[random.below(texts.count)]), .int(Int64(random.below(1_000)) - 500),
            .double(Double(random.below(100)) / 7), .bytes(Data(count: random.below(100))),
            .date(Date(timeIntervalSince1970: Double(random.below(1_000)))),
        ]
        var row = MirroredRow(entity: "Note", values: [:], references: [:])
        for number in 0..<random.below(6) {
            row.values["value \(number)"] = values[random.below(values.count)]
            row.references["reference \(number)"] = texts[random.below(texts.count)]
        }
        return MirroredBase(row)
    }

    @Test func basesAreReadAsTheyWereWritten() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let base = base(&random)
            #expect(try MirroredBase(encoded: base.encoded) == base)
        }
    }

    @Test func damagedBasesAreRefused() throws {
        let base = MirroredBase(
            MirroredRow(entity: "Note", values: ["title": .string("Milk")], references: ["folder": "F"]))
        let bytes = base.encoded
        for length in 0..<bytes.count {
            #expect(throws: CompactReader.Failure.self) { try MirroredBase(encoded: bytes.prefix(length)) }
        }
        #expect(throws: CompactReader.Failure.self) { try MirroredBase(encoded: bytes + [0]) }
        // Whatever stands in the bytes, reading them ends.
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            var damaged = bytes
            for _ in 0..<3 { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
            do {
                _ = try MirroredBase(encoded: damaged)
            } catch is CompactReader.Failure {} catch { Issue.record("seed \(seed): \(error)") }
        }
    }
}
