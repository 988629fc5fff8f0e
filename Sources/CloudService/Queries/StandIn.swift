import CloudModel
import CloudStore

enum IndexMaintenance {
    static func update(
        from old: StoredRecord?, to new: StoredRecord?, type: RecordTypeSchema, zone: ZoneNumber,
        in t: any WriteTransaction
    ) {}
}
