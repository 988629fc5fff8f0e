import Synchronization

/// How far a check of all data is. May be looked at while the check goes on.
public final class CheckProgress: Sendable {
    private let rows = Atomic<UInt64>(0)
    private let bytes = Atomic<UInt64>(0)

    /// Begins at nothing.
    public init() {}

    /// Rows of the store that were read.
    public var rowsRead: UInt64 { rows.load(ordering: .relaxed) }
    /// Bytes of assets that were read.
    public var assetBytesRead: UInt64 { bytes.load(ordering: .relaxed) }

    /// Counts rows.
    public func addRows(_ count: Int) { rows.wrappingAdd(UInt64(count), ordering: .relaxed) }

    /// Counts bytes of assets.
    public func addBytes(_ count: Int) { bytes.wrappingAdd(UInt64(count), ordering: .relaxed) }
}
