import CloudKit
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// Several shares that are accepted together.
@Suite struct AcceptingTests {
    /// A transport over which nothing can be proved to the owner of one share.
    private struct DeafTransport: CloudTransport {
        let transport: any CloudTransport
        let shareName: String

        var isSignedIn: Bool { transport.isSignedIn }

        func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
            if case .updateShareKeys(let update) = request.call, update.shareName == shareName {
                throw .refused(CloudError(.accessDenied, "not this one"), requestUUID: nil)
            }
            return try await transport.send(request)
        }

        func upload(
            _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
        ) async throws(CloudTransportError) -> Asset {
            try await transport.upload(file, to: address, progress: progress)
        }

        func download(
            from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
        ) async throws(CloudTransportError) {
            try await transport.download(from: address, size: size, to: file, progress: progress)
        }
    }

    @Test("what keeps one share's keys away keeps nobody out of the others")
    func together() async throws {
        let world = try await SharedWorld(.inProcess, accepts: false)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        let other = note("other", in: world.zoneID)
        other.encryptedValues["secret"] = "of the other"
        let second = CKShare(rootRecord: other)
        second.publicPermission = .readOnly
        let saved = try await ada.own.modifyRecords(saving: [other, second], deleting: [], atomically: true)
        for result in saved.saveResults.values { _ = try result.get() }
        let device = CKContainer(
            identifier: bob.name,
            transport: DeafTransport(transport: bob.transport, shareName: world.share.recordID.recordName),
            keyStore: bob.store)
        let urls = try [world.share.url, second.url].map { try #require($0) }
        let metadatas = try await device.shareMetadatas(for: urls).values.map { try $0.get() }
        let accepted = try await device.accept(metadatas)
        #expect(accepted.count == 2)
        for (metadata, result) in accepted {
            #expect(result.isSuccess == (metadata.share.recordID.recordName == second.recordID.recordName))
        }
        #expect(try await world.secret("other", device.sharedCloudDatabase) == "of the other")
    }
}
