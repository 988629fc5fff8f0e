import Foundation

/// A conflict between a changed object and its row, which has changed since the object was read.
open class NSMergeConflict: NSObject {
    /// The object of the context.
    public let sourceObject: NSManagedObject
    /// The values that the changes of the object are based on; nil for an object that was never saved.
    public let objectSnapshot: [String: Any]?
    /// The values in the row cache; nil if it has none.
    public let cachedSnapshot: [String: Any]?
    /// The values in the store; nil if the row cache has them, too, or if the row was deleted.
    public let persistedSnapshot: [String: Any]?
    /// The version of the row; 0 if it was deleted.
    public let newVersionNumber: Int
    /// The version that the changes of the object are based on.
    public let oldVersionNumber: Int

    /// The row in the store, if a save found the conflict.
    private var found: StoredRow??

    /// Makes a conflict.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.row.map { srcObject.snapshot($0) }
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        super.init()
    }

    convenience init(_ object: NSManagedObject, _ conflict: RowConflict, cached: StoredRow?) {
        let isCached = conflict.stored?.version == cached?.version
        self.init(
            source: object, newVersion: Int(conflict.stored?.version ?? 0), oldVersion: Int(conflict.expected),
            cachedSnapshot: cached.map { object.snapshot($0) },
            persistedSnapshot: isCached ? nil : conflict.stored.map { object.snapshot($0) })
        found = .some(conflict.stored)
    }

    func resolve(_ type: NSMergePolicyType) {
        guard let context = sourceObject.managedObjectContext else { return }
        let stored = found ?? (try? context.source?.row(of: sourceObject.objectID, notOlderThan: 0))
        guard let row = stored ?? nil else { return resolveDeletion(type, in: context) }
        switch type {
        case .errorMergePolicyType: return
        case .mergeByPropertyObjectTrumpMergePolicyType: sourceObject.rebase(on: row)
        case .overwriteMergePolicyType:
            sourceObject.keepAllStates()
            sourceObject.rebase(on: row, keepsAll: true)
        case .mergeByPropertyStoreTrumpMergePolicyType:
            guard !sourceObject.isDeleted else { return context.revert(sourceObject, to: row) }
            sourceObject.rebase(on: row, storeWins: true)
        case .rollbackMergePolicyType: context.revert(sourceObject, to: row)
        }
    }

    /// Resolves the conflict with a deletion in the store: what is to stay in memory becomes a new row.
    private func resolveDeletion(_ type: NSMergePolicyType, in context: NSManagedObjectContext) {
        let staysInMemory =
            type == .overwriteMergePolicyType || type == .mergeByPropertyObjectTrumpMergePolicyType
        if staysInMemory, !sourceObject.isDeleted {
            context.insertAgain(sourceObject)
        } else {
            context.discard(sourceObject)
        }
    }
}

extension NSManagedObject {
    /// The values of a row by the names of the properties; relationships as IDs.
    func snapshot(_ row: StoredRow) -> [String: Any] {
        guard let context = managedObjectContext, let mapping = context.mapping(of: self) else { return [:] }
        var values: [String: Any] = [:]
        for (property, place) in zip(table.properties, mapping.places) {
            switch (place, property.kind) {
            case (.value(let index), .attribute(let attribute)):
                values[property.name] = row.values[index].value(of: attribute, in: context) ?? NSNull()
            case (.value(let index), _):
                guard case .reference(let key) = row.values[index] else {
                    values[property.name] = NSNull()
                    continue
                }
                values[property.name] = context.id(of: key, beside: self)
            case (.composite(let elements), _):
                values[property.name] = CompositeValue.value(of: elements, in: row, context) ?? NSNull()
            case (.none, _), (.toMany, _): continue
            }
        }
        return values
    }
}
