import Foundation
import StratusTestSupport
import Testing

/// Expects a request refused as a whole: status, code, a reason with `words` and a UUID.
func expectRefused(
    _ answer: Answer, _ status: Int, _ code: String, _ words: String..., at location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer)", sourceLocation: location)
    #expect(answer.code == code, "\(answer)", sourceLocation: location)
    expectReason(answer.json, words, "\(answer)", location)
    let uuid = answer.json["uuid"].string.flatMap(UUID.init(uuidString:))
    #expect(uuid != nil, "no uuid: \(answer)", sourceLocation: location)
}

/// Expects one item refused inside an answer: its code and a reason with `words`, and nothing of a saved record.
func expectFailed(
    _ item: JSON, _ code: String, _ words: String..., at location: SourceLocation = #_sourceLocation
) {
    #expect(item["serverErrorCode"].string == code, "\(item)", sourceLocation: location)
    expectReason(item, words, "\(item)", location)
    // Clients take an item with a record type for a saved record.
    #expect(item["recordType"] == .absent, "\(item)", sourceLocation: location)
    #expect(item["fields"] == .absent, "\(item)", sourceLocation: location)
}

/// Expects an answer in which every item is a saved record; gives them.
@discardableResult
func expectSaved(
    _ answer: Answer, count: Int? = nil, at location: SourceLocation = #_sourceLocation
) -> [JSON] {
    #expect(answer.status == 200, "\(answer)", sourceLocation: location)
    if let count { #expect(answer.records.count == count, "\(answer)", sourceLocation: location) }
    #expect(!answer.records.isEmpty, "\(answer)", sourceLocation: location)
    for record in answer.records {
        #expect(record["recordChangeTag"].string?.isEmpty == false, "\(answer)", sourceLocation: location)
        #expect(record["serverErrorCode"] == .absent, "\(answer)", sourceLocation: location)
    }
    return answer.records
}

/// Expects the item that stands for a deleted record.
func expectDeleted(_ item: JSON, _ name: String, at location: SourceLocation = #_sourceLocation) {
    #expect(item["recordName"].string == name, "\(item)", sourceLocation: location)
    #expect(item["deleted"] == true, "\(item)", sourceLocation: location)
    #expect(item["recordType"] == .absent, "\(item)", sourceLocation: location)
    #expect(item["fields"] == .absent, "\(item)", sourceLocation: location)
}

/// Expects a whole record as every client needs it.
func expectComplete(_ record: JSON, by user: String, at location: SourceLocation = #_sourceLocation) {
    #expect(record["recordName"].string != nil, "\(record)", sourceLocation: location)
    #expect(record["recordType"].string != nil, "\(record)", sourceLocation: location)
    #expect(record["recordChangeTag"].string?.isEmpty == false, "\(record)", sourceLocation: location)
    #expect(record["fields"].object != nil, "\(record)", sourceLocation: location)
    #expect(record["pluginFields"] == [:], "\(record)", sourceLocation: location)
    #expect(record["deleted"] == false, "\(record)", sourceLocation: location)
    for stamp in ["created", "modified"] {
        #expect((record[stamp]["timestamp"].int ?? 0) > 1_600_000_000_000, "\(record)", sourceLocation: location)
        #expect(record[stamp]["userRecordName"].string == user, "\(record)", sourceLocation: location)
        #expect(record[stamp]["deviceID"].string != nil, "\(record)", sourceLocation: location)
    }
}

/// Expects that a record is stored exactly as it was.
func expectUnchanged(
    _ record: JSON, in database: Database, zone: String? = nil, at location: SourceLocation = #_sourceLocation
) async throws {
    let name = try #require(record["recordName"].string, sourceLocation: location)
    let found = try await database.find(name, zone: zone)
    for key in ["recordName", "recordType", "recordChangeTag", "fields", "created", "modified"] {
        #expect(found[key] == record[key], "\(found)", sourceLocation: location)
    }
}

/// Expects that a record is not there.
func expectAbsent(
    _ name: String, in database: Database, zone: String? = nil, at location: SourceLocation = #_sourceLocation
) async throws {
    expectFailed(try await database.find(name, zone: zone), "NOT_FOUND", at: location)
}

private func expectReason(_ item: JSON, _ words: [String], _ context: String, _ location: SourceLocation) {
    let reason = item["reason"].string
    #expect(reason?.isEmpty == false, "\(context)", sourceLocation: location)
    for word in words {
        #expect(reason?.contains(word) == true, "no '\(word)' in the reason: \(context)", sourceLocation: location)
    }
}

extension JSON {
    /// The value of a field.
    func value(_ field: String) -> JSON { self["fields"][field]["value"] }
    /// The record's name, or a text that no record has.
    var name: String { self["recordName"].string ?? "(none)" }
    /// The record's change tag.
    var tag: String { self["recordChangeTag"].string ?? "(none)" }
}
