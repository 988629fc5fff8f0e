import Foundation

// Links: what they lead to, coming in, asking for access.
extension CKContainer {
    /// What a share's link leads to.
    /// - Throws: `CKError.unknownItem` for a link that leads nowhere (any more), `CKError.permissionFailure` for one that is
    ///   not for the current user.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        try onlyItem(try await client().shareMetadatas(for: [url]))
    }

    /// What the links of some shares lead to. What concerns one stands in its place.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        byName(try await client().shareMetadatas(for: urls))
    }

    /// Lets the current user into a share, whose records are then in ``sharedCloudDatabase``. Accepting again changes nothing.
    /// - Returns: the share as the current user sees it.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        try onlyItem(try await client().acceptShares([metadata]))
    }

    /// Lets the current user into some shares. What concerns one stands in its place.
    @discardableResult
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        byName(try await client().acceptShares(metadatas))
    }

    /// Asks the owners of shares for access. That it succeeds tells nothing about a share.
    @discardableResult
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
        byName(try await client().requestAccess(to: urls))
    }

    /// What a share's link leads to.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.shareMetadata(for: url) }, completionHandler)
    }

    /// What the links of some shares lead to.
    @preconcurrency
    public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.shareMetadatas(for: urls) }, completionHandler)
    }

    /// Lets the current user into a share.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.accept(metadata) }, completionHandler)
    }

    /// Lets the current user into some shares.
    @preconcurrency
    public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler:
            @escaping @Sendable (Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.accept(metadatas) }, completionHandler)
    }
}
