import StratusCloudAssets
import StratusCloudModel

extension CloudService {
    /// Some of the bytes of an asset that a record of an export named. They are there for the operator even if the
    /// record has let them go since, as long as unused bytes are kept.
    ///
    /// - Parameters:
    ///   - fileChecksum: as the record says.
    ///   - offset: the first byte.
    ///   - count: bytes; fewer come at the end.
    /// - Throws: `accessDenied` unless the caller is the operator, `notFound` if the database has no such bytes.
    public func exportAsset(
        _ fileChecksum: String, from offset: Int64, count: Int, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [UInt8] {
        guard caller.isAdministrator else { throw CloudError(.accessDenied, "only the operator can export") }
        guard let asset = AssetID(fileChecksum: fileChecksum), offset >= 0 else {
            throw CloudError(.badRequest, "this names no bytes of an asset")
        }
        let partition = try DatabaseAddress(scope, nil, caller).partition
        let content = try await download(asset, from: partition).content
        return try await mapping { try content.read(at: offset, count: count) }
    }
}
