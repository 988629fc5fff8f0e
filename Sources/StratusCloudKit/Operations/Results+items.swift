extension Result where Failure == any Error {
    /// The error, if it is one.
    var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

// What the older blocks tell of the items' results.
extension Array {
    /// The values of the items that succeeded.
    func values<ID, Value>() -> [Value] where Element == (ID, Result<Value, any Error>) {
        compactMap { try? $0.1.get() }
    }

    /// The names of the items that succeeded.
    func names<ID, Value>() -> [ID] where Element == (ID, Result<Value, any Error>) {
        compactMap { $0.1.failure == nil ? $0.0 : nil }
    }

    /// The errors of the items that failed, by name.
    func failures<ID: Hashable, Value>() -> [AnyHashable: any Error] where Element == (ID, Result<Value, any Error>) {
        var failures: [AnyHashable: any Error] = [:]
        for (name, result) in self { failures[AnyHashable(name)] = result.failure }
        return failures
    }
}
