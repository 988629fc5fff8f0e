/// What predicates and sort descriptors can read values from by name: the part of key-value coding that Linux lacks.
///
/// Dictionaries, Foundation's and Swift's, need nothing. Of other objects that do not conform the stored properties are
/// read by reflection.
public protocol KeyValueReadable {
    /// The value of a key; nil if there is none.
    func value(forKey key: String) -> Any?
}
