import CoreData
import StratusSeeds

/// A model of many entities and attributes of all types, with inheritance three deep and relationships of all kinds. The
/// same seed makes the same model.
struct LargeModel {
    static let entities = 50
    static let attributes = 200
    private static let types: [NSAttributeDescription.AttributeType] = [
        .string, .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .binaryData, .uuid, .uri,
        .decimal,
    ]

    let model = NSManagedObjectModel()
    /// The names of the entities whose objects can be made.
    let names: [String]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let all = (0..<Self.entities).map { number in
            let entity = NSEntityDescription()
            entity.name = "Entity\(number)"
            return entity
        }
        for number in 0..<Self.attributes {
            let attribute = NSAttributeDescription()
            let type = Self.types[number % Self.types.count]
            (attribute.name, attribute.type, attribute.isOptional) = ("attribute\(number)", type, true)
            attribute.allowsCloudEncryption = random.chance(20)
            all[number % Self.entities].properties.append(attribute)
        }
        for number in 0..<Self.entities {
            let other = all[random.below(Self.entities)]
            Self.relate(all[number], other, number, most: number % 3 == 1 ? 0 : 1, inverse: number % 3 == 0 ? 1 : 0)
        }
        // Three of every five entities inherit from each other, and another one from the first of them.
        for first in stride(from: 0, to: Self.entities, by: 5) {
            all[first].subentities = [all[first + 1], all[first + 3]]
            all[first + 1].subentities = [all[first + 2]]
        }
        model.entities = all
        names = all.compactMap(\.name)
    }

    private static func relate(
        _ one: NSEntityDescription, _ other: NSEntityDescription, _ number: Int, most: Int, inverse: Int
    ) {
        let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        (there.name, there.destinationEntity, there.maxCount) = ("relation\(number)", other, most)
        (back.name, back.destinationEntity, back.maxCount) = ("inverse\(number)", one, inverse)
        (there.inverseRelationship, back.inverseRelationship) = (back, there)
        for relationship in [there, back] {
            (relationship.isOptional, relationship.deleteRule) = (true, .nullifyDeleteRule)
        }
        one.properties.append(there)
        other.properties.append(back)
    }

    // MARK: - Objects

    /// Inserts objects with values and relationships.
    func insert(_ count: Int, into context: NSManagedObjectContext, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let objects = (0..<count).map { number in
            let object = NSEntityDescription.insertNewObject(forEntityName: names[number % names.count], into: context)
            for (key, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
                if random.chance(80) { object.setValue(Self.value(attribute.type, &random), forKey: key) }
            }
            return object
        }
        for object in objects {
            for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                let other = objects[random.below(count)]
                guard let destination = relationship.destinationEntity, other !== object, random.chance(40),
                    other.entity.isKindOf(entity: destination)
                else { continue }
                if relationship.isToMany {
                    object.mutableSetValue(forKey: key).add(other)
                } else {
                    object.setValue(other, forKey: key)
                }
            }
        }
    }

    private static func value(_ type: NSAttributeDescription.AttributeType, _ random: inout SeededRandom) -> Any {
        let number = random.below(30_000)
        switch type {
        case .integer16, .integer32, .integer64: return Int64(number)
        case .double: return Double(number) / 7
        case .float: return Float(number) / 4
        case .decimal: return NSDecimalNumber(value: Double(number) / 8)
        case .boolean: return number % 2 == 0
        case .date: return Date(timeIntervalSince1970: Double(number) * 1_000)
        case .binaryData: return Data((0..<number % 50).map { UInt8($0) })
        case .uuid: return UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number % 256)))
        case .uri: return URL(string: "https://example.org/\(number)") ?? URL(fileURLWithPath: "/")
        default: return "text \(number)"
        }
    }

    /// Returns each object as a line with its values and destinations, which are named by their records.
    static func lines(
        in context: NSManagedObjectContext, _ names: [String], _ recordName: (NSManagedObject) -> String?
    ) throws -> [String] {
        try names.flatMap { name in
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            return try context.fetch(request).map { object in
                var words = [name, recordName(object) ?? "?"]
                for key in object.entity.attributesByName.keys.sorted() {
                    if let value = object.value(forKey: key) { words.append("\(key)=\(value)") }
                }
                for key in object.entity.relationshipsByName.keys.sorted() {
                    let value = object.value(forKey: key)
                    let others = (value as? Set<NSManagedObject>) ?? (value as? NSManagedObject).map { [$0] } ?? []
                    if !others.isEmpty { words.append("\(key)=\(others.map { recordName($0) ?? "?" }.sorted())") }
                }
                return words.joined(separator: " ")
            }
        }.sorted()
    }
}
