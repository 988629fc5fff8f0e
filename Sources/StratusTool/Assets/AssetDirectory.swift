import Glibc
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService

/// A directory with the bytes of the assets of an export: a file for each, named by the first 160 bits of its SHA-256 in
/// hexadecimal. These are also what the `fileChecksum` in the lines says, after its first byte.
struct AssetDirectory: Sendable {
    let path: String

    /// The file for an asset; nil for a checksum that names no bytes.
    func file(of fileChecksum: String) -> String? {
        AssetID(fileChecksum: fileChecksum).map { "\(path)/\(Hex.encode($0.bytes))" }
    }

    /// Opens the file of an asset and reads it once, to see that it holds what its name says.
    /// - Throws: ``RowError`` if it does not, or cannot be read.
    func verifiedFile(of asset: Asset) throws(RowError) -> FileReader {
        guard let path = file(of: asset.fileChecksum) else {
            throw RowError("'\(asset.fileChecksum)' is not the checksum of an asset")
        }
        do {
            let file = try FileReader(path: path)
            guard file.size == asset.size else {
                throw RowError("the asset file \(path) has \(file.size) bytes, not \(asset.size)")
            }
            guard AssetID(sha256: try file.digestBytes()).fileChecksum == asset.fileChecksum else {
                throw RowError("the asset file \(path) is damaged: its checksum does not match its name")
            }
            return file
        } catch let error as RowError {
            throw error
        } catch {
            throw RowError("\(error)")
        }
    }

    /// Whether the file of an asset is there.
    func contains(_ asset: Asset) -> Bool { file(of: asset.fileChecksum).map { access($0, F_OK) == 0 } ?? false }
}
