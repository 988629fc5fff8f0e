import Foundation
import StratusCloudModel

/// A link to a snapshot of a file, for everybody who has it, until it ends.
package struct FilePublication: Hashable, Sendable {
    /// Names the publication.
    package let id: String
    /// The record name of the file. It may be gone.
    package let recordName: String
    /// The name of the file when it was published.
    package let name: String
    /// Bytes of the content.
    package let size: Int64
    /// When the file was published.
    package let created: Date
    /// When the link ends.
    package let expires: Date
    /// The link; known only when the file has just been published.
    package let url: URL?

    init(_ file: PublishedFile) {
        id = file.id
        recordName = file.file
        name = file.name
        size = file.size
        created = Date(timeIntervalSince1970: Double(file.created) / 1_000)
        expires = Date(timeIntervalSince1970: Double(file.expires) / 1_000)
        url = file.url.flatMap { URL(string: $0) }
    }
}

/// Publishing files of the zone `_files`. Apple's CloudKit has no such calls; `FileManager` publishes with them.
extension CKContainer {
    /// Publishes the content that a file has on the server.
    /// - Parameter lifetime: Seconds until the link ends; nil leaves it to the server, which means 7 days.
    package func publishFile(_ recordName: String, lifetime: TimeInterval? = nil) async throws -> FilePublication {
        let request = PublishFileRequest(
            recordName: recordName, lifetime: lifetime.map { Int64(exactly: $0.rounded()) ?? .max })
        guard let file = try await privateCloudDatabase.client.publications(.publishFile(request)).first else {
            throw CKError(.internalError)
        }
        return FilePublication(file)
    }

    /// Returns the current user's publications that have not ended, the latest first.
    package func filePublications() async throws -> [FilePublication] {
        try await privateCloudDatabase.client.publications(.publishedFiles).map { FilePublication($0) }
    }

    /// Ends a publication.
    package func endPublication(_ id: String) async throws {
        _ = try await privateCloudDatabase.client.publications(.unpublishFile(id))
    }
}

extension DatabaseClient {
    fileprivate func publications(_ call: CloudCall) async throws -> [PublishedFile] {
        try await send(call) { answer throws(CloudTransportError) in try answer.publications() }
    }
}
