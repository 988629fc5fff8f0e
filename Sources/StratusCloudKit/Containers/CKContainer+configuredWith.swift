import Foundation

extension CKContainer {
    /// Runs `body` with a container all whose calls have a configuration.
    @discardableResult
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredContainer: CKContainer) throws -> Value
    ) rethrows -> Value {
        try body(CKContainer(source, options.with(configuration, group)))
    }

    /// Runs `body` with a container all whose calls have a configuration.
    @discardableResult
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredContainer: CKContainer) async throws -> Value
    ) async rethrows -> Value {
        try await body(CKContainer(source, options.with(configuration, group)))
    }
}

extension CKDatabase {
    /// Runs `body` with a database all whose calls have a configuration.
    @discardableResult
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredDatabase: CKDatabase) throws -> Value
    ) rethrows -> Value {
        try body(CKDatabase(databaseScope, source, options.with(configuration, group)))
    }

    /// Runs `body` with a database all whose calls have a configuration.
    @discardableResult
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredDatabase: CKDatabase) async throws -> Value
    ) async rethrows -> Value {
        try await body(CKDatabase(databaseScope, source, options.with(configuration, group)))
    }
}
