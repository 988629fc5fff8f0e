/// The inside of continuation markers as bytes, for the fuzzer: only sealed ones ever reach the service.
package enum QueryPositionFormat {
    /// The position that `bytes` say, written again; nil if they say none.
    package static func rewritten(_ bytes: [UInt8]) -> [UInt8]? { (try? QueryPosition(bytes))?.bytes }

    /// Some positions.
    package static var samples: [[UInt8]] {
        let sorted = SortedPosition(
            components: [.value(Array(0..<8)), .missing, .place(distance: 2.5, Cell(rawValue: 77))],
            tail: .after("record"))
        return [
            QueryPosition.sorted(sorted, zone: .default, strategy: .scan).bytes,
            QueryPosition.driver(2, zone: .default, after: Keyspace.record(zone: .default, name: "record")).bytes,
            QueryPosition.driver(0, zone: .firstCustom, after: nil).bytes,
        ]
    }
}
