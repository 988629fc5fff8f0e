import StratusCloudModel
import StratusCloudStore

/// Where a page ended, and how the next one goes on. The caller seals the bytes before they leave the service.
enum QueryPosition: Hashable, Sendable {
    /// In a query without sort keys: which of its drivers is read, in which zone, and the last key read there.
    case driver(Int, zone: ZoneNumber, after: Key?)
    /// In a sorted query.
    case sorted(SortedPosition, zone: ZoneNumber, strategy: SortedWalk.Strategy)
}

/// The stored form, strict: other bytes than ``QueryPosition/bytes`` writes are refused.
extension QueryPosition {
    private static let driverFormat: UInt8 = 1
    private static let sortedFormat: UInt8 = 2

    /// - Throws: `BAD_REQUEST` for bytes that are no position.
    init(_ bytes: [UInt8]) throws(CloudError) {
        let malformed = CloudError(.badRequest, "Invalid continuation marker")
        let position: QueryPosition
        do {
            position = try ByteReader.read(bytes, Self.read)
        } catch {
            throw malformed
        }
        // There is one way to write each position.
        guard position.bytes == bytes else { throw malformed }
        self = position
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .driver(let number, let zone, let key):
            writer.write(byte: Self.driverFormat)
            writer.write(unsigned: UInt64(number))
            writer.write(unsigned: zone.rawValue)
            writer.write(optional: key) { $0.write(bytes: $1.bytes) }
        case .sorted(let position, let zone, let strategy):
            writer.write(byte: Self.sortedFormat)
            strategy.write(to: &writer)
            writer.write(unsigned: zone.rawValue)
            position.write(to: &writer)
        }
        return writer.bytes
    }

    private static func read(_ reader: inout ByteReader) throws -> QueryPosition {
        let position: QueryPosition
        switch try reader.byte() {
        case driverFormat:
            let number = try reader.unsigned()
            guard number <= UInt64(UInt16.max) else { throw ByteReader.Malformed() }
            position = .driver(
                Int(number), zone: ZoneNumber(rawValue: try reader.unsigned()),
                after: try reader.optional { Key(Array(try $0.slice())) })
        case sortedFormat:
            let strategy = try SortedWalk.Strategy(from: &reader)
            let zone = ZoneNumber(rawValue: try reader.unsigned())
            position = .sorted(try SortedPosition(from: &reader), zone: zone, strategy: strategy)
        default: throw ByteReader.Malformed()
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
        return position
    }
}

extension SortedWalk.Strategy {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .choose: writer.write(unsigned: 0)
        case .scan: writer.write(unsigned: 1)
        case .candidates(let driver): writer.write(unsigned: UInt64(driver) + 2)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.unsigned() {
        case 0: self = .choose
        case 1: self = .scan
        case let number where number <= UInt64(UInt16.max): self = .candidates(driver: Int(number) - 2)
        default: throw ByteReader.Malformed()
        }
    }
}

extension SortedPosition {
    private enum Mark {
        static let missing: UInt8 = 0
        static let value: UInt8 = 1
        static let place: UInt8 = 2
        static let start: UInt8 = 0
        static let after: UInt8 = 1
        static let end: UInt8 = 2
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(unsigned: UInt64(components.count))
        for component in components {
            switch component {
            case .missing: writer.write(byte: Mark.missing)
            case .value(let bytes):
                writer.write(byte: Mark.value)
                writer.write(bytes: bytes)
            case .place(let distance, let cell):
                writer.write(byte: Mark.place)
                writer.write(double: distance)
                writer.write(unsigned: cell.rawValue)
            }
        }
        switch tail {
        case .start: writer.write(byte: Mark.start)
        case .after(let name):
            writer.write(byte: Mark.after)
            writer.write(name)
        case .end: writer.write(byte: Mark.end)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws {
        let count = try reader.unsigned()
        guard count <= UInt64(ModelLimits.sortsPerQuery) else { throw ByteReader.Malformed() }
        var components: [SortComponent] = []
        for _ in 0..<count {
            switch try reader.byte() {
            case Mark.missing: components.append(.missing)
            case Mark.value: components.append(.value(Array(try reader.slice())))
            case Mark.place:
                let distance = try reader.double()
                guard distance >= 0 else { throw ByteReader.Malformed() }
                components.append(.place(distance: distance, Cell(rawValue: try reader.unsigned())))
            default: throw ByteReader.Malformed()
            }
        }
        let tail: Tail
        switch try reader.byte() {
        case Mark.start: tail = .start
        case Mark.after:
            guard let name = String(validating: try reader.slice(), as: UTF8.self) else {
                throw ByteReader.Malformed()
            }
            tail = .after(name)
        case Mark.end: tail = .end
        default: throw ByteReader.Malformed()
        }
        self.init(components: components, tail: tail)
    }

    /// Whether it is a place in an answer with these sort keys.
    func fits(_ sorts: [ResolvedSort]) -> Bool {
        guard components.count <= sorts.count else { return false }
        if case .after = tail, components.count != sorts.count { return false }
        return zip(components, sorts).allSatisfy { component, sort in
            switch component {
            case .missing: true
            case .value(let bytes):
                sort.center == nil && (IndexValue.isOfVariableLength(sort.field.type.scalar) || bytes.count == 8)
            case .place: sort.center != nil
            }
        }
    }
}
