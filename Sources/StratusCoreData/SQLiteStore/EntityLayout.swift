/// The layout of an entity in a store: the same for contexts, row cache and SQL.
final class EntityLayout: Sendable {
    let name: String
    /// The number of the entity in the store (`Z_ENT`).
    let number: Int64
    /// The name of the entity that has no superentity, whose table all inheriting entities share.
    let root: String
    let superentity: String?
    let isAbstract: Bool
    /// The name of the table.
    let table: String
    /// The names of this entity and of all that inherit from it.
    let family: [String]
    /// The stored attributes and to-one relationships, inherited ones first. Elements of composite attributes stand
    /// each for itself, with a dot in the name: `address.street`.
    let properties: [PropertyLayout]
    /// The position of each property in ``properties``, and in ``StoredRow/values``.
    let positions: [String: Int]
    /// The to-many relationships by their names.
    let toMany: [String: ToManyLayout]
    /// The positions of the attributes of each uniqueness constraint, inherited ones included.
    let constraints: [Constraint]
    /// The properties that changes in the history refer to.
    let history: HistoryProperties
    /// The attributes that the store computes.
    let derived: [DerivedLayout]

    /// Attributes whose values no two rows share.
    struct Constraint: Hashable, Sendable {
        /// The entity that declares the constraint, which holds for all that inherit from it.
        let entity: String
        let positions: [Int]
    }

    init(
        name: String, number: Int64, root: String, superentity: String?, isAbstract: Bool, table: String,
        family: [String], properties: [PropertyLayout], toMany: [String: ToManyLayout], constraints: [Constraint],
        history: HistoryProperties, derived: [DerivedLayout]
    ) {
        self.name = name
        self.number = number
        self.root = root
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.table = table
        self.family = family
        self.properties = properties
        positions = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        self.toMany = toMany
        self.constraints = constraints
        self.history = history
        self.derived = derived
    }
}

/// A stored attribute or to-one relationship.
struct PropertyLayout: Hashable, Sendable {
    let name: String
    let column: String
    let type: StorageType
    /// The name of the inverse of a relationship.
    var inverse: String?
    /// The column with the number of the destination's entity, if entities inherit from the relationship's destination.
    var entityColumn: String?
    /// The column with the position in the inverse relationship, if that is ordered.
    var orderColumn: String?
}

/// The kind of a property's stored values.
enum StorageType: Hashable, Sendable {
    case integer, boolean, double, float, decimal, string, date, data, uuid, url
    /// Data that a Mac may keep in a file of its own.
    case externalData
    /// The primary key of a row of the entity or of one that inherits from it.
    case reference(String)
}

/// A to-many relationship.
struct ToManyLayout: Hashable, Sendable {
    let name: String
    let destination: String
    let inverse: String?
    let isOrdered: Bool
    let place: Place

    /// The table and columns of the members.
    enum Place: Hashable, Sendable {
        /// In a column of the destinations.
        case column(String, order: String?)
        /// In rows of a table of their own.
        case table(String, owner: String, member: String, order: String?)
    }
}

/// The layout of a model in a store.
final class StoreLayout: Sendable {
    let entities: [String: EntityLayout]
    /// The tables of the entities and of the relationships between many and many.
    let tables: [TableLayout]
    let byNumber: [Int64: EntityLayout]
    /// The files with external data; nil if all data is in the tables.
    let external: ExternalFiles?
    let missingFiles = MissingExternalFiles()

    init(_ entities: [EntityLayout], tables: [TableLayout], external: ExternalFiles? = nil) {
        self.tables = tables
        self.external = external
        self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        byNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the entity of a row by its number in the file; nil for a number of no entity that has rows.
    func entity(ofRow number: Int64?) -> EntityLayout? {
        number.flatMap { byNumber[$0] }.flatMap { $0.isAbstract ? nil : $0 }
    }

    /// Returns the layout of an entity, which the caller says is in the store.
    func entity(_ name: String) throws -> EntityLayout {
        guard let entity = entities[name] else { throw StoreFailure(.misuse, "the store has no entity '\(name)'") }
        return entity
    }
}

/// A table of a store.
struct TableLayout: Hashable, Sendable {
    let name: String
    /// Columns with their declared types, the primary key included.
    var columns: [Column]
    /// The columns of the primary key, if it is of more than one.
    var primaryKey: [String] = []
    var indexes: [Index] = []
    /// The trees of ranges, for conditions on several columns at the same time.
    var rTrees: [RTreeLayout] = []

    struct Column: Hashable, Sendable {
        let name: String
        let type: String
    }

    struct Index: Hashable, Sendable {
        let name: String
        let columns: [String]
        var descending: Set<String> = []
        var isUnique = false
    }
}
