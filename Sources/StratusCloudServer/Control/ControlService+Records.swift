import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// What the operator does in databases.
extension ControlService {
    func answerRecords(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .modifyRecords(let database, let body):
            let (scope, caller) = try await access(to: database)
            var decoder = RequestDecoder()
            decoder.readsHistory = true
            let request = try decoder.modifyRecords(Array(body.utf8)).request
            let results = try await service.modifyRecords(request, in: scope, as: caller)
            return Self.body(Self.encoder(caller).modifyRecords(results))
        case .lookupRecords(let database, let body):
            let (scope, caller) = try await access(to: database)
            let request = try RequestDecoder().lookupRecords(Array(body.utf8)).request
            let results = try await service.lookupRecords(request, in: scope, as: caller)
            return Self.body(Self.encoder(caller).lookupRecords(results))
        case .queryRecords(let database, let body):
            return try await query(database, body)
        case .explainQuery(let database, let body):
            return try await explain(database, body)
        case .listZones(let database):
            let (scope, caller) = try await access(to: database)
            return Self.body(Self.encoder(caller).listZones(try await service.listZones(in: scope, as: caller)))
        case .modifyZones(let database, let body):
            let (scope, caller) = try await access(to: database)
            let operations = try RequestDecoder().modifyZones(Array(body.utf8))
            return Self.body(
                Self.encoder(caller).zones(try await service.modifyZones(operations, in: scope, as: caller)))
        case .exportRecords(let database, let zone, let recordType, let after, let isOwn):
            let (scope, caller) = try await access(to: database)
            let page = try await service.exportRecords(
                of: recordType, in: scope, zoneID: ZoneID(zoneName: zone),
                createdBy: isOwn == true ? caller.userRecordName : nil, after: after, as: caller)
            let lines = page.records.map { record in
                String(decoding: RecordLine.encode(record.withoutOwner), as: UTF8.self)
            }
            return .page(
                ControlPage(lines: lines, assets: page.records.flatMap { Self.assets(of: $0) }, next: page.next))
        default:
            return try await answerAssets(request)
        }
    }

    /// The database that is meant, and the operator in the place of the account that was named.
    func access(to database: ControlDatabase) async throws(CloudError) -> (DatabaseScope, Caller) {
        let context = try await existing(database.context)
        guard let scope = DatabaseScope(rawValue: database.scope), scope != .shared else {
            throw CloudError(.badRequest, "'\(database.scope)' is not a database: public or private")
        }
        guard let email = database.email else {
            guard scope == .public else {
                throw CloudError(.badRequest, "the private database needs the e-mail address of its account")
            }
            return (scope, Caller(context: context, principal: .administrator(actingAs: nil)))
        }
        let name = try await service.userRecordName(email: email, in: context)
        return (scope, Caller(context: context, principal: .administrator(actingAs: name)))
    }

    static func encoder(_ caller: Caller) -> ResponseEncoder {
        ResponseEncoder(context: WireContext(callerRecordName: caller.userRecordName, requestUUID: ""))
    }

    static func body(_ bytes: [UInt8]) -> ControlResponse { .body(String(decoding: bytes, as: UTF8.self)) }
}

extension Record {
    /// The record with zones that name no owner where the owner is that of the database: such a record can be saved
    /// by another account and in another container. That the owner made or changed it is said in the same way.
    public var withoutOwner: Record {
        var record = self
        let owner = zoneID.ownerRecordName
        record.zoneID.ownerRecordName = nil
        record.parent = parent?.withoutOwner(owner)
        record.share = share?.withoutOwner(owner)
        if let owner {
            for stamp in [\Record.created, \.modified] where record[keyPath: stamp].userRecordName == owner {
                record[keyPath: stamp].userRecordName = RecordLine.ownerName
            }
        }
        record.fields.unpack()
        for entry in record.fields where entry.field.value.scalarType == .reference {
            record.fields[entry.name]?.value = entry.field.value.withoutOwner(owner)
        }
        return record
    }
}

extension FieldValue {
    fileprivate func withoutOwner(_ owner: String?) -> FieldValue {
        switch self {
        case .scalar(let value): .scalar(value.withoutOwner(owner))
        case .list(let type, let elements): .list(of: type, elements: elements.map { $0.withoutOwner(owner) })
        }
    }
}

extension ScalarValue {
    fileprivate func withoutOwner(_ owner: String?) -> ScalarValue {
        if case .reference(let reference) = self { .reference(reference.withoutOwner(owner)) } else { self }
    }
}

extension Reference {
    fileprivate func withoutOwner(_ owner: String?) -> Reference {
        guard let zoneOwner = zoneID?.ownerRecordName, zoneOwner == owner else { return self }
        var reference = self
        reference.zoneID?.ownerRecordName = nil
        return reference
    }
}
