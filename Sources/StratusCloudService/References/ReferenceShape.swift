import StratusCloudModel

/// What must be right about references by themselves, whatever is stored.
struct ReferenceShape {
    /// The zone of the records, with its owner.
    let zoneID: ZoneID
    let caller: Caller

    /// - Throws: `badRequest` for the first reference out of the zone, without a usable name, or over a limit.
    func check(_ record: StoredRecord) throws(CloudError) {
        let isUser = record.recordType == SystemRecordType.users
        for entry in record.fields where entry.field.value.scalarType == .reference {
            let place = "field '\(entry.name)' in record '\(record.recordType)'"
            try entry.field.value.forEachReference { (reference) throws(CloudError) in
                try check(reference, at: place, ofUser: isUser)
            }
        }
        if let parent = record.parent {
            try check(parent, at: "parent of record '\(record.recordName)'", ofUser: isUser)
        }
        let count = record.actingReferences.count
        guard count <= ReferenceLimits.targetsPerRecord else {
            throw CloudError(
                .badRequest,
                "record '\(record.recordName)' refers to \(count) records with DELETE_SELF, VALIDATE or as its parent, "
                    + "which is more than the maximum of \(ReferenceLimits.targetsPerRecord)")
        }
    }

    private func check(_ reference: Reference, at place: String, ofUser isUser: Bool) throws(CloudError) {
        do {
            try Names.checkRecordName(reference.recordName)
        } catch {
            throw CloudError(error.code, "\(place): \(error.reason)")
        }
        if let zone = reference.zoneID {
            let isOwn =
                zone.ownerRecordName == nil || zone.ownerRecordName == zoneID.ownerRecordName
                || zone.ownerRecordName == caller.userRecordName
            guard zone.zoneName == zoneID.zoneName, isOwn else {
                throw CloudError(
                    .badRequest,
                    "\(place): '\(reference.recordName)' must be in the zone of the record that refers to it")
            }
        }
        if isUser, reference.action == .deleteSelf {
            throw CloudError(.badRequest, "\(place): a user's record cannot be deleted with another (DELETE_SELF)")
        }
    }
}
