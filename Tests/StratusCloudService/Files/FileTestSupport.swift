import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// The files of a person, by requests for records as any client sends them, and by the functions of the service.
struct FileCloud: Sendable {
    let cloud: TestCloud
    var service: CloudService { cloud.service }
    var caller: Caller { cloud.user() }

    init(_ engine: Engine = .memory, configuration: ServiceConfiguration = ServiceConfiguration()) async throws {
        cloud = try await TestCloud(engine, configuration: configuration)
    }

    init(store: any CloudStore, configuration: ServiceConfiguration = ServiceConfiguration()) async throws {
        cloud = try await TestCloud(store: store, configuration: configuration)
    }

    func modify(_ operations: [RecordOperation], atomic: Bool? = nil) async throws -> [RecordResult] {
        try await cloud.modify(operations, zone: FileFormat.zoneName, atomic: atomic)
    }

    /// Saves one record.
    func save(_ operation: RecordOperation) async throws -> Record {
        let result = try #require(try await modify([operation]).first)
        if let error = result.error { throw error }
        return try #require(result.saved)
    }

    /// Why one operation is refused; nil if it is not.
    func refusal(_ operation: RecordOperation) async throws -> CloudError? {
        try await modify([operation]).first?.error
    }

    func item(_ name: String) async throws -> FileItem? { try? await service.file(named: name, as: caller) }

    func names(in folder: FileFolder = .root) async throws -> [String] {
        try await service.listFiles(in: folder, as: caller).items.map(\.name)
    }

    func put(_ text: String, at path: [String]) async throws -> FileItem {
        try await put(Array(text.utf8), at: path)
    }

    func put(_ bytes: [UInt8], at path: [String]) async throws -> FileItem {
        let destination: CloudService.FileDestination
        switch try await service.filePlace(at: path, as: caller) {
        case .item(let item, _): destination = .existing(item, ifTagged: nil)
        case .free(let name, let folder): destination = .new(name: name, folder: folder)
        case .root, .nowhere: throw Unexpected(description: "there is no such folder")
        }
        let upload = try await service.beginFileUpload(
            to: destination, length: Int64(bytes.count), as: caller)
        return try await service.receiveFile(upload, body: Pieces(bytes), as: caller)
    }

    func content(_ item: FileItem) async throws -> String {
        String(decoding: try service.bytes(of: try await service.downloadFile(item, as: caller)), as: UTF8.self)
    }

    func advance(days: Int64) { cloud.clock.withLock { $0 += days * 86_400_000 } }
}

extension RecordOperation {
    /// An operation on an item.
    static func file(
        _ kind: Kind, _ recordName: String, _ name: String? = nil, in folder: String? = nil,
        _ itemKind: FileKind? = .folder, _ fields: KeyValuePairs<String, InputValue> = [:]
    ) -> RecordOperation {
        var all: [(name: String, field: FieldInput)] = fields.map { ($0.key, FieldInput($0.value)) }
        if let name { all.append((FileFormat.name, FieldInput(.text(name)))) }
        if let folder {
            all.append((FileFormat.folder, FieldInput(.scalar(.reference(Reference(recordName: folder))))))
        }
        if let itemKind { all.append((FileFormat.kind, FieldInput(.text(itemKind.rawValue)))) }
        return RecordOperation(
            kind, RecordInput(recordName: recordName, recordType: FileFormat.recordType, fields: all))
    }
}
