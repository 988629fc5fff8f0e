import CoreData

/// The class of an entity whose properties are generated in an extension.
public class Order: NSManagedObject {
    var label: String { "Order \(number)" }
}
