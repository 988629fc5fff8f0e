/// A record of the upload of an asset, with which it can continue in another process.
package struct AssetUploadTracking: Sendable {
    /// Identifies the bytes. An upload of others fails.
    let checksum: String
    /// The address of an earlier upload of the same bytes; nil for a first upload.
    let address: String?
    /// Called with the address before the first byte is sent to it.
    let begin: @Sendable (String) async throws -> Void
    /// Called with the number of bytes that have arrived.
    let progress: @Sendable (Int64) -> Void

    package init(
        checksum: String, address: String?, begin: @escaping @Sendable (String) async throws -> Void,
        progress: @escaping @Sendable (Int64) -> Void
    ) {
        self.checksum = checksum
        self.address = address
        self.begin = begin
        self.progress = progress
    }
}
