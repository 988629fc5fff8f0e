/// The numbers of entities in a store.
enum EntityNumbers {
    /// Returns the numbers of entities in a new file: from 1 in the order of the names of those without a superentity,
    /// each followed by the entities that inherit from it.
    static func new(_ entities: [NSEntityDescription]) -> [String: Int64] {
        let sorted = entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        let names = Set(sorted.map { $0.name ?? "" })
        var numbers: [String: Int64] = [:]
        func add(_ entity: NSEntityDescription) {
            numbers[entity.name ?? ""] = Int64(numbers.count + 1)
            for inheriting in sorted where inheriting.superentity?.name == entity.name { add(inheriting) }
        }
        for entity in sorted where !names.contains(entity.superentity?.name ?? "") { add(entity) }
        return numbers
    }

    /// Returns the numbers of entities in a file. Apple's Core Data keeps the former name of an entity that a migration
    /// has renamed, so that the place of the entity counts then.
    static func known(_ entities: [NSEntityDescription], inFile stored: [String: Int64]) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for entity in entities { numbers[entity.name ?? ""] = stored[entity.name ?? ""] }
        var free = Set(stored.values).subtracting(numbers.values)
        for (name, number) in new(entities) where numbers[name] == nil && free.remove(number) != nil {
            numbers[name] = number
        }
        return numbers
    }
}
