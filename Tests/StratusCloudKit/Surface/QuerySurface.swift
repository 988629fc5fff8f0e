import CloudKit

/// Queries as programs write them. Compiled, not run.
enum QuerySurface {
    static func queries(_ place: CLLocation, _ reference: CKRecord.Reference, _ date: Date) -> [CKQuery] {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
        query.sortDescriptors = [
            CKLocationSortDescriptor(key: "place", relativeLocation: place),
            NSSortDescriptor(key: CKRecord.SystemFieldKey.modificationDate, ascending: true),
        ]
        let near = query.sortDescriptors?.compactMap { ($0 as? CKLocationSortDescriptor)?.relativeLocation }
        // swift-format-ignore: NeverForceUnwrap
        print(query.recordType, query.predicate, near as Any, query.copy() as! CKQuery)
        let predicates = [
            NSPredicate(format: "title == %@", "a"), NSPredicate(format: "%K > %d", "count", 3),
            NSPredicate(format: "due > %@", date as NSDate), NSPredicate(format: "due > %@", date as any CVarArg),
            NSPredicate(format: "parentNote == %@", reference), NSPredicate(format: "tags CONTAINS %@", "a"),
            NSPredicate(format: "title IN %@", ["a", "b"]), NSPredicate(format: "recordID == %@", reference.recordID),
            NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < %f", place, 1_000.0),
            NSPredicate(format: "title BEGINSWITH %@ AND count != 0", argumentArray: ["a"]),
            NSPredicate(format: "self CONTAINS 'word'"),
            NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true)]),
        ]
        return predicates.map { CKQuery(recordType: "Note", predicate: $0) }
    }

    static func calls(_ database: CKDatabase, _ query: CKQuery, _ zoneID: CKRecordZone.ID) async throws -> [CKRecord] {
        let (matchResults, cursor) = try await database.records(matching: query)
        var records = matchResults.compactMap { _, result in try? result.get() }
        var next: CKQueryOperation.Cursor? = cursor
        while let current = next {
            let page = try await database.records(continuingMatchFrom: current)
            records += try page.matchResults.map { try $0.1.get() }
            next = page.queryCursor
        }
        _ = try await database.records(matching: query, resultsLimit: 10)
        _ = try await database.records(matching: query, inZoneWith: zoneID, desiredKeys: ["title"])
        let result = try await database.records(
            matching: query, inZoneWith: nil, desiredKeys: nil, resultsLimit: CKQueryOperation.maximumResults)
        if let cursor = result.queryCursor {
            _ = try await database.records(continuingMatchFrom: cursor, desiredKeys: [], resultsLimit: 5)
        }
        return records
    }

    @available(*, deprecated)
    static func older(_ database: CKDatabase, _ query: CKQuery) async throws -> [CKRecord] {
        database.perform(query, inZoneWith: nil) { records, error in print(records?.count ?? 0, error as Any) }
        database.perform(query, inZoneWith: CKRecordZone.default().zoneID) { _, _ in }
        let records: [CKRecord] = try await database.records(matching: query, inZoneWith: nil)
        return records
    }

    static func handlers(_ database: CKDatabase, _ query: CKQuery) {
        database.fetch(withQuery: query) { result in
            switch result {
            case .success((let matches, let cursor)):
                for (recordID, match) in matches { print(recordID, (try? match.get()) as Any) }
                if let cursor { database.fetch(withCursor: cursor) { _ in } }
            case .failure(let error): print(error)
            }
        }
        database.fetch(withQuery: query, inZoneWith: .default, desiredKeys: ["a"], resultsLimit: 3) { _ in }
    }

    static func operations(_ query: CKQuery, _ cursor: CKQueryOperation.Cursor) -> [CKQueryOperation] {
        let first = CKQueryOperation(query: query)
        first.resultsLimit = CKQueryOperation.maximumResults
        first.desiredKeys = ["title", "count"]
        first.zoneID = CKRecordZone.ID(zoneName: "Notes")
        first.recordMatchedBlock = { recordID, result in
            switch result {
            case .success(let record): print(record)
            case .failure(let error): print(recordID, error)
            }
        }
        first.queryResultBlock = { result in
            guard case .success(let cursor?) = result else { return }
            print(CKQueryOperation(cursor: cursor))
        }
        let second = CKQueryOperation(cursor: cursor)
        let third = CKQueryOperation()
        third.query = query
        third.cursor = cursor
        first.addDependency(second)
        return [first, second, third]
    }

    static func archived(_ cursor: CKQueryOperation.Cursor) throws -> CKQueryOperation.Cursor? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: cursor, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data)
    }
}
