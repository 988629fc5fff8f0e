import Synchronization

/// The files with external data that reads did not find.
final class MissingExternalFiles: Sendable {
    private let names = Mutex<Set<String>>([])

    func note(_ name: String) { names.withLock { _ = $0.insert(name) } }

    /// Returns the names that were noted since the last call.
    func take() -> Set<String> {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}

/// The files with external data that rows no longer refer to, but rows of query generations may.
final class ReplacedExternalFiles: Sendable {
    private struct State {
        var generations = 0
        var names: [String] = []
    }

    private let files: ExternalFiles?
    private let state = Mutex(State())

    init(_ files: ExternalFiles?) { self.files = files }

    /// Removes files, or keeps them until the last generation ends.
    func remove(_ names: [String]) {
        let isNow = state.withLock { state in
            if state.generations > 0 { state.names += names }
            return state.generations == 0
        }
        if isNow { files?.remove(names) }
    }

    func beginGeneration() { state.withLock { $0.generations += 1 } }

    func endGeneration() {
        let names = state.withLock { state -> [String] in
            state.generations -= 1
            guard state.generations == 0 else { return [] }
            defer { state.names = [] }
            return state.names
        }
        files?.remove(names)
    }
}
