/// How much room the files of an account take, and how much there is.
public struct FileRoom: Hashable, Sendable {
    /// Bytes of all assets of the account's database.
    public var used: Int64
    /// Bytes that may be added; nil without a quota.
    public var available: Int64?

    /// Makes a room.
    public init(used: Int64, available: Int64?) {
        self.used = used
        self.available = available
    }
}
