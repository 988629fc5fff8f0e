import CoreData
import Foundation

/// A class that no model has.
class Unmodeled: NSManagedObject {
    @NSManaged var owner: Unmodeled
    @NSManaged var name: String?
    @NSManaged var day: Date
}

/// A class of an entity that is described in code.
@objc(Note)
class Note: NSManagedObject {
    @NSManaged var text: String
}
