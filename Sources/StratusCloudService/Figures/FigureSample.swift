import StratusCloudModel

/// The statistics of a context for some time.
public struct FigureSample: Hashable, Sendable {
    /// The requests of apps to the web services.
    public var apps = RequestStatistics()
    /// The commands of the operator's tool. Earlier versions did not count them.
    public var tool = RequestStatistics()
    /// What all databases held at the end; nil if it was not measured.
    public var usage: Usage?
    /// How full they were in comparison with their quotas; nil if it was not measured, and in what earlier versions
    /// stored.
    public var levels: StorageLevels?

    /// A sample of nothing.
    public init() {}

    /// Whether there is nothing to store.
    public var isEmpty: Bool { !hasRequests && usage == nil }

    /// Whether anybody asked for anything.
    public var hasRequests: Bool { apps.requests > 0 || tool.requests > 0 }

    /// Adds a later sample.
    public mutating func add(_ later: FigureSample) {
        apps.add(later.apps)
        tool.add(later.tool)
        usage = later.usage ?? usage
        levels = later.levels ?? levels
    }
}

extension FigureSample: StoredValue {
    static let format: UInt8 = 3
    static let readableFormats: ClosedRange<UInt8> = 1...3

    init(from reader: inout ByteReader) throws {
        apps = try RequestStatistics(from: &reader)
        usage = try reader.optional { try Usage(from: &$0) }
        if reader.isAtEnd { return }
        levels = try reader.optional { try StorageLevels(from: &$0) }
        if reader.isAtEnd { return }
        try apps.readOperations(from: &reader)
        tool = try RequestStatistics(from: &reader)
        try tool.readOperations(from: &reader)
    }

    func write(to writer: inout ByteWriter) {
        apps.write(to: &writer)
        writer.write(optional: usage) { $1.write(to: &$0) }
        writer.write(optional: levels) { $1.write(to: &$0) }
        apps.writeOperations(to: &writer)
        tool.write(to: &writer)
        tool.writeOperations(to: &writer)
    }
}
