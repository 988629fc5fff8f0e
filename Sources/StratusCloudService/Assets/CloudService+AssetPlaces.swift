import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `assets/upload`: an address for each field, in order. Nothing is stored yet.
    /// - Parameter addressing: makes the address of a ticket's text.
    /// - Throws: what concerns the whole request: `badRequest` for too many fields, `zoneNotFound`,
    ///   `authenticationRequired` if the caller has not signed in and a field needs it, the errors of
    ///   `DatabaseAddress`.
    public func makeUploadPlaces(
        _ request: UploadAssetsRequest, in scope: DatabaseScope, as caller: Caller,
        addressing: @Sendable (String) -> String
    ) async throws(CloudError) -> [UploadAssetsResult] {
        try checkAssetCount(request.items.count, "tokens")
        let address = try DatabaseAddress(scope, request.zoneID, caller)
        try await makeReservedZone(of: address)
        let schema = try await schema(of: caller.context)
        let names = request.items.map { $0.recordName ?? "" }
        let quota = configuration.quotas.quota(of: scope, caller)
        let found = try await reading(address.partition) { transaction -> (ZoneNumber, [StoredRecord?], Usage)? in
            guard let view = try address.view(in: transaction) else { return nil }
            if let access = view.access, !access.mayWrite { throw BatchShares.denied("CREATE") }
            let number = view.number
            // Nothing has the empty name.
            let records = try view.recordRows(names, in: transaction).map { try $0?.record() }
            if let access = view.access {
                let grants = try view.grants(of: names, access, in: transaction)
                for (grant, record) in zip(grants, records) where record != nil {
                    guard Authorization.permits(.change, grant) else { throw BatchShares.denied("WRITE") }
                }
            }
            let usage = quota.assets == nil ? Usage() : try UsageLedger.usage(in: transaction)
            return (number, records, usage)
        }
        guard let (zone, records, usage) = found else {
            throw try await reading(address.partition) { try address.zoneNotFound(in: $0) }
        }
        var results: [UploadAssetsResult] = []
        for (item, stored) in zip(request.items, records) {
            do throws(CloudError) {
                let type = try checkUpload(item, stored, address, schema, caller)
                let name = item.recordName ?? environment.random.uuid()
                let ticket = AssetUploadTicket(
                    partition: address.partition, account: caller.authorRecordName,
                    upload: AssetUploadID(environment.random),
                    binding: AssetBinding(
                        item.recordName == nil ? .field : .record, zone: zone, recordName: name, recordType: type,
                        fieldName: item.fieldName),
                    expires: environment.now() + assetLimits.uploadAddressLifetime,
                    room: AssetRoom(quota, used: usage, replacing: stored))
                results.append(
                    .place(recordName: name, fieldName: item.fieldName, url: addressing(ticket.text(seals))))
            } catch {
                if error.code == .authenticationRequired { throw error }
                results.append(.failed(recordName: item.recordName, fieldName: item.fieldName, error))
            }
        }
        return results
    }

    func checkAssetCount(_ count: Int, _ noun: String) throws(CloudError) {
        guard count <= ModelLimits.assetsPerRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(count) \(noun) which is more than the maximum number of \(noun) in a single "
                    + "request (\(ModelLimits.assetsPerRequest))")
        }
    }

    /// The type of the record that the asset is for, if the caller may save it there.
    private func checkUpload(
        _ item: UploadAssetsRequest.Item, _ stored: StoredRecord?, _ address: DatabaseAddress, _ schema: Schema,
        _ caller: Caller
    ) throws(CloudError) -> String {
        if let name = item.recordName { try Names.checkRecordName(name) }
        guard let type = item.recordType ?? stored?.recordType else {
            throw CloudError(.badRequest, "a token for a record that does not exist needs a recordType")
        }
        if item.recordType != nil { try Names.checkRecordType(type) }
        if let stored, stored.recordType != type {
            throw CloudError(.badRequest, "the record is of type '\(stored.recordType)', not '\(type)'")
        }
        try Names.checkField(item.fieldName, recordType: type)
        try ReservedZones.checkType(type, in: address.zoneID)
        let known = schema.recordTypes[type]
        let permission: Grant.Permission = stored == nil ? .create : .write
        let isOwnProfile = stored != nil && stored?.recordName == caller.userRecordName
        guard
            Authorization.permits(
                permission, in: address.scope, type, of: schema, creator: stored?.created.userRecordName, caller),
            type != SystemRecordType.users || isOwnProfile || caller.isAdministrator
        else { throw Authorization.denial(of: permission, type, of: schema, caller) }
        let subject = "field '\(item.fieldName)' in record '\(type)'"
        if let field = known?.fields[item.fieldName] {
            guard field.type.scalar == .asset else {
                throw CloudError(
                    .badRequest,
                    "invalid attempt to set value type ASSETID for \(subject), defined to be: \(field.type)")
            }
        } else if ReservedZones.kind(of: address.zoneID.zoneName) != nil {
            throw CloudError(
                .badRequest, "Cannot create or modify \(subject) in zone '\(address.zoneID.zoneName)'")
        } else if caller.context.environment == .production {
            throw CloudError(.badRequest, "Cannot create or modify \(subject) in production schema")
        }
        return type
    }
}
