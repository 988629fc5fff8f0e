import StratusObservation

/// The changes of an object, by the positions of its properties. Most objects have none.
final class ObjectChanges {
    /// The states before the first change since the object was read, saved or made.
    var committed: PositionMap = [:]
    /// The states before the first change in the current event.
    var beforeEvent: PositionMap = [:]
    /// The states when a change was announced that is not complete yet.
    var announced: PositionMap = [:]
    /// The objects of fetched properties, by their names, until the object is refreshed.
    var fetched: [String: [NSManagedObject]] = [:]
    /// Notifies observers before each change of a property, if the object has any.
    var publisher: ObservableObjectPublisher?
    /// Set for an object that only finds out what a key path of Swift reads.
    var probe: KeyPathProbe?
}
