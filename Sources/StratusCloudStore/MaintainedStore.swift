/// A store that keeps something which can be copied and checked. What lies on disk is the engine's own affair.
public protocol MaintainedStore: CloudStore {
    /// Reads everything that is stored and checks that it fits together, while reading and writing go on.
    /// - Parameter progress: called now and then with the number of rows that were read since the last call, by engines
    ///   that read row by row.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    func verify(_ progress: @escaping @Sendable (_ rows: Int) -> Void) async throws

    /// Calls `body` with the files that hold the state at one moment, in ascending order of their paths' bytes, while
    /// reading and writing go on. They stay as they are until it returns; it runs on a thread that may block.
    ///
    /// In a directory of their own they are a store in that state.
    /// - Throws: what the body throws, or ``StoreError``.
    func withStateFiles<Result: Sendable>(
        _ body: @escaping @Sendable ([StoreFile]) throws -> Result
    ) async throws -> Result
}

extension MaintainedStore {
    /// Reads everything and checks it; see ``verify(_:)``.
    public func verify() async throws { try await verify { _ in } }
}

/// A file of a store's state.
public struct StoreFile: Sendable {
    /// Where it lies from a data directory on.
    public let path: String
    /// What it holds.
    public let content: Content

    /// Where the bytes are.
    public enum Content: Sendable {
        /// Here.
        case bytes([UInt8])
        /// In a file of this path, which does not change.
        case file(String)
    }

    /// A file of a state.
    public init(path: String, content: Content) {
        self.path = path
        self.content = content
    }
}
