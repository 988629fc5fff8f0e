import StratusCloudAssets
import StratusCloudCrypto

/// Reads the bytes of an asset from the first to the last and compares them with the digest that was stored with them.
struct AssetProof: Sendable {
    private let content: AssetContent
    private let sha256: [UInt8]
    private var hash = SHA256()
    private var offset: Int64 = 0
    private var isFinished = false

    init(_ content: AssetContent, sha256: [UInt8]) {
        self.content = content
        self.sha256 = sha256
    }

    /// The next bytes; nil at the end. Blocks.
    ///
    /// The last piece is returned only if all bytes are those that were stored, so whoever gets it has the whole asset.
    /// - Throws: ``AssetStoreError/Code/damaged`` if they are not.
    mutating func next() throws(AssetStoreError) -> [UInt8]? {
        guard !isFinished else { return nil }
        let piece = try content.read(at: offset, count: AssetLimits.checkedPiece)
        hash.update(piece)
        offset += Int64(piece.count)
        guard piece.isEmpty || offset >= content.size else { return piece }
        isFinished = true
        guard offset == content.size, hash.digest() == sha256 else {
            throw AssetStoreError(.damaged, "the bytes do not match the SHA-256 with which they were stored")
        }
        return piece.isEmpty ? nil : piece
    }
}
