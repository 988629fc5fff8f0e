/// A store that keeps something which can be copied and checked. What lies on disk is the engine's own affair.
public protocol MaintainedStore: CloudStore {
    /// What a backup is called in a data directory of which it is to be the store.
    var nameInDataDirectory: String { get }

    /// Reads everything that is stored and checks that it fits together, while reading and writing go on.
    /// - Throws: ``StoreError/Code/corrupted`` with the first problem found.
    func verify() async throws

    /// Writes a copy of the state at one moment, durably, while reading and writing go on: a file, or a directory for
    /// engines that keep several. It appears when it is complete; until then it is beside it, with `.partial` in its name.
    /// - Parameter path: where nothing is yet.
    /// - Throws: ``StoreError``; nothing is left at `path` then.
    func backUp(to path: String) async throws
}
