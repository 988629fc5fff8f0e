import Foundation
import Synchronization

/// The models of the coordinators of the program, in which a class without a context finds its entity.
enum ModelsInUse {
    // A model is frozen before it is added, and is only read from then on. The weak reference is set once; reading
    // it is atomic.
    private struct Reference: @unchecked Sendable {
        weak var model: NSManagedObjectModel?
    }

    private static let references = Mutex<[Reference]>([])

    static func add(_ model: NSManagedObjectModel) {
        let added = Reference(model: model)
        references.withLock { known in
            known.removeAll { $0.model == nil || $0.model === added.model }
            known.append(added)
        }
    }

    /// Returns the entity of a class, in the model that came into use last if several have one.
    static func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription? {
        for reference in references.withLock({ $0 }).reversed() {
            if let found = reference.model?.entities(of: objectClass), found.count == 1 { return found[0] }
        }
        return nil
    }
}

extension NSManagedObjectModel {
    /// Returns the entities that have a class. A class name of a model may leave the module out.
    func entities(of objectClass: NSManagedObject.Type) -> [NSEntityDescription] {
        let name = NSStringFromClass(objectClass)
        let withoutModule = name.split(separator: ".").last.map(String.init) ?? name
        return entities.filter { [name, withoutModule, "." + withoutModule].contains($0.managedObjectClassName) }
    }
}
