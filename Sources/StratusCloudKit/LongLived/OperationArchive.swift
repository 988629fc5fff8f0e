import Foundation

/// What to do, in an archive: the class of the operation, how it runs, where, and what it was given.
enum OperationArchive {
    /// The operations that can outlive a process, by the names that stand in archives.
    private static let classes: [String: @Sendable () -> CKDatabaseOperation] = [
        "ModifyRecords": { CKModifyRecordsOperation() }, "FetchRecords": { CKFetchRecordsOperation() },
        "Query": { CKQueryOperation() }, "ModifyRecordZones": { CKModifyRecordZonesOperation() },
        "FetchRecordZones": { CKFetchRecordZonesOperation() },
        "ModifySubscriptions": { CKModifySubscriptionsOperation() },
        "FetchSubscriptions": { CKFetchSubscriptionsOperation() },
        "FetchDatabaseChanges": { CKFetchDatabaseChangesOperation() },
        "FetchRecordZoneChanges": { CKFetchRecordZoneChangesOperation() },
    ]

    /// The archive of an operation.
    static func data(
        _ operation: CKDatabaseOperation, named name: String, in scope: CKDatabase.Scope, files: OperationFiles
    ) throws -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        coder.encode(name as NSString, forKey: "Name")
        coder.encode(Int64(scope.rawValue), forKey: "Scope")
        let values = operation.effectiveValues
        coder.encode(values.qualityOfService.map { NSNumber(value: $0.rawValue) }, forKey: "QualityOfService")
        coder.encode(values.timeoutIntervalForRequest.map { NSNumber(value: $0) }, forKey: "RequestTimeout")
        coder.encode(values.timeoutIntervalForResource.map { NSNumber(value: $0) }, forKey: "ResourceTimeout")
        coder.encode(values.allowsCellularAccess.map { NSNumber(value: $0) }, forKey: "AllowsCellularAccess")
        coder.encode(operation.group, forKey: "Group")
        try operation.encodeTask(with: coder, files: files)
        coder.finishEncoding()
        return coder.encodedData
    }

    /// The operation of an archive, for a container; nil if it is not whole.
    static func operation(_ data: Data, in container: CKContainer) -> CKDatabaseOperation? {
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        coder.decodingFailurePolicy = .setErrorAndReturn
        guard let name = coder.decoded(NSString.self, "Name") as String?, let make = classes[name],
            let scope = CKDatabase.Scope(rawValue: Int(coder.decodeInt64(forKey: "Scope")))
        else { return nil }
        let operation = make()
        var values = CKOperationConfiguration.Values(container: container, isLongLived: true)
        values.qualityOfService = coder.decoded(NSNumber.self, "QualityOfService")
            .flatMap { QualityOfService(rawValue: $0.intValue) }
        values.timeoutIntervalForRequest = coder.decoded(NSNumber.self, "RequestTimeout")?.doubleValue
        values.timeoutIntervalForResource = coder.decoded(NSNumber.self, "ResourceTimeout")?.doubleValue
        values.allowsCellularAccess = coder.decoded(NSNumber.self, "AllowsCellularAccess")?.boolValue
        operation.configuration = CKOperationConfiguration(values)
        operation.group = coder.decoded(CKOperationGroup.self, "Group")
        operation.database = container.database(with: scope)
        guard operation.decodeTask(with: coder) else { return nil }
        return operation
    }
}

extension NSCoder {
    /// A list of objects of some classes; nil where none was archived.
    func decodedList<Value>(_ classes: [AnyClass], _ key: String, of type: Value.Type = Value.self) -> [Value]? {
        (decoded([NSArray.self] + classes, key) as? NSArray)?.compactMap { $0 as? Value }
    }

    /// Archives a list; nil stays nil.
    func encode(list: [NSObject]?, forKey key: String) { encode(list.map { NSArray(array: $0) }, forKey: key) }
}
