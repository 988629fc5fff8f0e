/// The entity of a request: a name until the request meets a model.
///
/// The reference to an entity is weak, as others of a model are: a fetched property's request would otherwise keep its own
/// model alive.
struct EntityReference {
    private(set) weak var entity: NSEntityDescription?
    private let knownName: String?

    init(name: String?) { knownName = name }

    init(_ entity: NSEntityDescription?) {
        self.entity = entity
        knownName = entity?.name
    }

    var name: String? { entity?.name ?? knownName }

    /// Returns the entity in a model. An entity of another model, such as a copy, is found by its name.
    func entity(in model: NSManagedObjectModel) -> NSEntityDescription? {
        if let entity, entity.managedObjectModel === model { return entity }
        guard let name else { return nil }
        return model.entities.first { $0.name == name }
    }

    /// Makes the reference one to the entity with the same name among others.
    mutating func move(to entities: [String: NSEntityDescription]) {
        if entity != nil, let moved = name.flatMap({ entities[$0] }) { self = EntityReference(moved) }
    }
}
