import StratusWorkers

/// Asset bytes in memory, for tests and simulation: nothing survives it, but a crash can be played.
public final class MemoryAssets: AssetStore {
    private struct Name: Hashable {
        let owner: AssetOwner
        let file: AssetFileID
    }

    private struct State {
        var files: [Name: [UInt8]] = [:]
        /// What a crash leaves.
        var durable: [Name: [UInt8]] = [:]
        var faults: [AssetStoreError] = []
        /// Grows with every crash: writers from before it are void.
        var life = 0
    }

    private let state = Lock(State())

    /// Without any file.
    public init() {}

    /// See ``AssetStore/write(_:of:from:expecting:)``.
    public func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter {
        let name = Name(owner: owner, file: file)
        let life = try state.withLock { (state) throws(AssetStoreError) in
            try Self.fail(&state)
            let bytes = state.files[name, default: []]
            guard bytes.count >= offset else { throw AssetStoreError(.missing, "the file is too short") }
            state.files[name] = Array(bytes.prefix(Int(offset)))
            return state.life
        }
        return Writer(assets: self, name: name, life: life)
    }

    /// See ``AssetStore/content(of:of:)``.
    public func content(of file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> AssetContent {
        guard let bytes = state.withLock({ $0.files[Name(owner: owner, file: file)] }) else {
            throw AssetStoreError(.missing, "there is no such file")
        }
        return AssetContent(.bytes(bytes), size: Int64(bytes.count))
    }

    /// See ``AssetStore/remove(_:of:)``.
    public func remove(_ files: [AssetFileID], of owner: AssetOwner) async throws(AssetStoreError) {
        try state.withLock { (state) throws(AssetStoreError) in
            try Self.fail(&state)
            for file in files {
                state.files[Name(owner: owner, file: file)] = nil
                state.durable[Name(owner: owner, file: file)] = nil
            }
        }
    }

    /// See ``AssetStore/contains(_:of:)``.
    public func contains(_ file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> Bool {
        state.withLock { $0.files[Name(owner: owner, file: file)] != nil }
    }

    /// All files there are.
    public var files: [(owner: AssetOwner, file: AssetFileID)] {
        state.withLock { $0.files.keys.map { ($0.owner, $0.file) } }
    }

    /// Makes the next call that writes or removes something fail; calls add up, one failure each.
    public func failNextWrite(with error: AssetStoreError) { state.withLock { $0.faults.append(error) } }

    /// Forgets what was not durable, and voids all writers.
    public func crash() {
        state.withLock { state in
            state.files = state.durable
            state.faults = []
            state.life += 1
        }
    }

    private static func fail(_ state: inout State) throws(AssetStoreError) {
        if !state.faults.isEmpty { throw state.faults.removeFirst() }
    }

    private struct Writer: AssetWriter {
        let assets: MemoryAssets
        let name: Name
        let life: Int

        func append(_ bytes: [UInt8]) async throws(AssetStoreError) {
            try change { state, name in state.files[name, default: []] += bytes }
        }

        func synchronize() async throws(AssetStoreError) -> AssetStamp? {
            try change { state, name in state.durable[name] = state.files[name] }
            return nil
        }

        private func change(_ body: @Sendable (inout State, Name) -> Void) throws(AssetStoreError) {
            try assets.state.withLock { (state) throws(AssetStoreError) in
                guard state.life == life else { throw AssetStoreError(.ioFailure, "the process is gone") }
                try MemoryAssets.fail(&state)
                body(&state, name)
            }
        }
    }
}
