import Foundation
import StratusSQLite
import Testing

@testable import StratusCoreData

/// A model with each kind of attribute and relationship, inheritance and constraints, and a folder for its files.
///
/// Works (books, films) have tags, an ordered list of chapters, sequels and a favourite, and are unlike each other in
/// their code. `Sheet "1"` has the names that SQL reserves.
final class StoreFixture {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let model = NSManagedObjectModel()
    var path: String { folder.appendingPathComponent("store.sqlite").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (work, book, film) = (Self.entity("Work"), Self.entity("Book"), Self.entity("Film"))
        let (tag, chapter, sheet) = (Self.entity("Tag"), Self.entity("Chapter"), Self.entity("Sheet \"1\""))
        let tags = Self.toMany("tags", tag)
        let works = Self.toMany("works", work, ordered: true)
        Self.connect(tags, works)
        let chapters = Self.toMany("chapters", chapter, ordered: true)
        let owner = Self.toOne("work", work)
        Self.connect(chapters, owner)
        let alike = Self.toMany("alike", work)
        Self.connect(alike, alike)
        work.properties =
            [
                Self.attribute("code", .stringAttributeType), Self.attribute("count", .integer64AttributeType),
                Self.attribute("isNew", .booleanAttributeType), Self.attribute("price", .decimalAttributeType),
                Self.attribute("rating", .doubleAttributeType), Self.attribute("made", .dateAttributeType),
                Self.attribute("content", .binaryDataAttributeType), Self.attribute("uuid", .UUIDAttributeType),
                Self.attribute("link", .URIAttributeType),
            ] + [tags, chapters, alike, Self.toOne("favourite", work)]
        work.uniquenessConstraints = [["code"]]
        let cover = Self.attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        book.properties = [Self.attribute("pages", .integer32AttributeType), cover]
        film.properties = [Self.attribute("Pages", .stringAttributeType), Self.toMany("scenes", chapter)]
        work.subentities = [book, film]
        work.isAbstract = true
        tag.properties = [Self.attribute("name", .stringAttributeType), works]
        chapter.properties = [Self.attribute("title", .stringAttributeType), owner]
        sheet.properties = ["select", "a\"b", "group;--", "z_pk", "ÄÖ"].map { Self.attribute($0, .stringAttributeType) }
        model.entities = [work, book, film, tag, chapter, sheet]
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open(_ path: String? = nil, _ options: SQLiteRowStore.Options = .init()) throws -> SQLiteRowStore {
        try SQLiteRowStore(path: path ?? self.path, entities: model.entities, options: options)
    }

    /// Runs SQL as another program does.
    func inFile<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try body(try SQLiteConnection(path: path))
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    static func toOne(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = toMany(name, destination)
        relationship.maxCount = 1
        return relationship
    }

    static func toMany(
        _ name: String, _ destination: NSEntityDescription, ordered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.isOrdered = ordered
        return relationship
    }

    static func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}

extension SQLiteRowStore {
    /// A new row with the values that are given by name.
    func make(_ entity: String, _ values: [String: StoredValue] = [:]) throws -> StoredRow {
        let key = try #require(try obtainKeys([entity: 1])[entity]?.first)
        return try row(key, version: 0, values)
    }

    func row(_ key: RowKey, version: Int64, _ values: [String: StoredValue]) throws -> StoredRow {
        let layout = try layout.entity(key.entity)
        return StoredRow(key: key, version: version, values: layout.properties.map { values[$0.name] ?? .null })
    }

    func insert(_ rows: StoredRow...) throws { _ = try save(RowChanges(inserted: rows)) }

    /// The value of a property of a row in the store.
    func value(_ name: String, of key: RowKey) throws -> StoredValue? {
        let position = try #require(try layout.entity(key.entity).positions[name])
        return try rows([key])[key]?.values[position]
    }

    /// Sets one value of a row that is at a version.
    func set(_ name: String, to value: StoredValue, of key: RowKey, version: Int64) throws -> RowUpdate {
        let position = try #require(try layout.entity(key.entity).positions[name])
        return RowUpdate(row: try row(key, version: version, [name: value]), changed: [position])
    }
}
