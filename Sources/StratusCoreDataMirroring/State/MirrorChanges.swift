import StratusCoreData

/// The zone and the name of a record.
struct RecordPlace: Hashable, Sendable {
    var zone: Int64
    var name: String
}

/// Changes of the tables.
struct MirrorChanges: Sendable {
    var records: [StoredObjectKey: RecordRow] = [:]
    var removedRecords: Set<StoredObjectKey> = []
    var links: [RecordPlace: LinkRow] = [:]
    var removedLinks: Set<RecordPlace> = []
    var waiting: [WaitingReference.Place: WaitingReference] = [:]
    var settled: [WaitingReference.Place: WaitingReference] = [:]
    var formers: [RecordPlace: FormerRecord] = [:]
    var removedFormers: Set<RecordPlace> = []

    /// Writes the changes.
    func write(to tables: MirrorTables) throws {
        for key in removedRecords { try tables.deleteRecord(key) }
        for row in records.values.sorted(by: { $0.key < $1.key }) { try tables.put(row) }
        for place in removedLinks { try tables.deleteLink(named: place.name, in: place.zone) }
        for link in links.values.sorted(by: { $0.name < $1.name }) { try tables.put(link) }
        for reference in settled.values { try tables.delete(reference) }
        for reference in waiting.values { try tables.put(reference) }
        for place in removedFormers { try tables.deleteFormer(named: place.name, in: place.zone) }
        for former in formers.values.sorted(by: { $0.name < $1.name }) { try tables.put(former) }
    }
}

extension RecordRow {
    var place: RecordPlace { RecordPlace(zone: zone, name: name) }
}

extension LinkRow {
    var place: RecordPlace { RecordPlace(zone: zone, name: name) }
}

extension FormerRecord {
    var place: RecordPlace { RecordPlace(zone: zone, name: name) }
}

extension WaitingReference {
    /// The property that refers to a record.
    struct Place: Hashable, Sendable {
        var zone: Int64
        var source: String
        var relationship: String
    }

    var place: Place { Place(zone: zone, source: source, relationship: relationship) }
}
