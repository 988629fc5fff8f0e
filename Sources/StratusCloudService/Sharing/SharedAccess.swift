import StratusCloudModel
import StratusCloudStore

/// What a participant may see of somebody else's zone: the shares of it that they accepted.
struct SharedAccess: Hashable, Sendable {
    let user: String
    /// By share; not empty.
    let grants: [ShareNumber: ShareGrant]
    /// The share of the whole zone, if the zone is shared so.
    let whole: ShareNumber?

    /// Reads what a user may see; nil if that is nothing.
    static func read(
        of user: String, zone header: ZoneHeader, in transaction: any ReadTransaction
    ) throws -> SharedAccess? {
        guard header.sharing.isAnything else { return nil }
        let range = Keyspace.access(zone: header.number, of: user)
        var grants: [ShareNumber: ShareGrant] = [:]
        for entry in try transaction.entries(in: range, limit: ShareLimits.sharesPerZone) {
            var decoder = TupleDecoder(entry.key, skipping: range.lower.bytes.count)
            guard let number = decoder.unsigned() else { throw ByteReader.Malformed() }
            grants[ShareNumber(rawValue: number)] = try ShareGrant(stored: entry.value)
        }
        return grants.isEmpty ? nil : SharedAccess(user: user, grants: grants, whole: header.sharing.whole)
    }

    /// What the user may do with a record, by what the record belongs to; nil if they do not see it.
    func grant(for member: ShareMember?) -> ShareGrant? {
        if let whole { return grants[whole] }
        return member.flatMap { grants[$0.share] }
    }

    /// Whether the user may add or change anything in the zone.
    var mayWrite: Bool { grants.values.contains { Authorization.permits(.change, $0) } }
}

/// A zone as a caller sees it: all of it, or what is shared with them.
struct ZoneView: Sendable {
    let header: ZoneHeader
    /// nil for those who see all: the owner of a private database, and everybody in the public one.
    let access: SharedAccess?

    var number: ZoneNumber { header.number }

    /// Whether the caller does not see what is above a record: the root of a shared hierarchy.
    func hidesParent(_ recordType: String, share: Reference?) -> Bool {
        access != nil && access?.whole == nil && share != nil && recordType != SystemRecordType.share
    }

    /// Whether the caller does not see all of a record.
    func conceals(_ recordType: String, share: Reference?) -> Bool {
        hidesParent(recordType, share: share)
            || access != nil && access?.whole == nil && ReservedZones.hierarchy(ofType: recordType).concealsAll
    }

    /// Takes away what the caller does not see of a record.
    func conceal(_ record: inout some SharedRecord, _ recordType: String, share: Reference?) {
        guard conceals(recordType, share: share) else { return }
        ReservedZones.hierarchy(ofType: recordType).conceal(&record, isRoot: share != nil)
    }

    /// What the caller may do with records, by name; nil in the place of those that they do not see, whether there are
    /// any or not. The caller must not see all.
    func grants(
        of names: [String], _ access: SharedAccess, in transaction: any ReadTransaction
    ) throws -> [ShareGrant?] {
        if access.whole != nil { return Array(repeating: access.grant(for: nil), count: names.count) }
        return try transaction.shareMembers(names, in: number).map { access.grant(for: $0) }
    }

    /// Whether the caller sees records, by name.
    func isVisible(_ names: [String], in transaction: any ReadTransaction) throws -> [Bool] {
        guard let access else { return Array(repeating: true, count: names.count) }
        return try grants(of: names, access, in: transaction).map { Authorization.permits(.see, $0) }
    }

    /// The live records of some names; nil where there is none that the caller sees.
    func recordRows(
        _ names: [String], in transaction: any ReadTransaction
    ) throws -> [RecordRow?] {
        guard access != nil else { return try transaction.recordRows(names, in: number) }
        let entries = try transaction.nameEntries(names, in: number)
        let visible = try isVisible(names, in: transaction)
        return try transaction.recordRows(of: zip(entries, visible).map { $1 ? $0 : nil }, in: number)
    }
}

extension DatabaseAddress {
    /// The zone as the caller sees it.
    /// - Returns: nil if there is none of that name, or none that the caller sees.
    func view(in transaction: any ReadTransaction) throws -> ZoneView? {
        // The default zone needs no look-up: its number is known, and nothing of it is shared.
        if zoneID.isDefault { return ZoneView(header: ZoneHeader(number: .default), access: nil) }
        return try ZoneHeader.find(zoneID.zoneName, in: transaction).flatMap { try view(of: $0, in: transaction) }
    }

    /// As ``view(in:)``, where the header was read.
    func view(of header: ZoneHeader, in transaction: any ReadTransaction) throws -> ZoneView? {
        guard let participant else { return ZoneView(header: header, access: nil) }
        return try SharedAccess.read(of: participant, zone: header, in: transaction)
            .map { ZoneView(header: header, access: $0) }
    }

    /// Why the caller sees no zone. To participants all zones that are not there are alike.
    func zoneNotFound(in transaction: any ReadTransaction) throws -> CloudError {
        guard participant == nil else { return CloudService.zoneNotFound(zoneID) }
        return try CloudService.zoneNotFound(zoneID, in: transaction)
    }
}
