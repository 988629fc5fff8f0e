/// A method that Xcode generates for a to-many relationship. `#` stands for the name of the relationship with a first
/// letter in upper case, `Member` for the class of the objects, and `Collection` for that of the set.
struct ToManyAccessor {
    /// The declaration, as Xcode writes it.
    let declaration: String
    /// The call that the method consists of, without the argument for the relationship.
    let call: String
    /// Whether only ordered relationships have the method.
    var isOrdered = false

    static let all = [
        ToManyAccessor(declaration: "addTo#(_ value: Member)", call: "addManagedObject(value"),
        ToManyAccessor(declaration: "removeFrom#(_ value: Member)", call: "removeManagedObject(value"),
        ToManyAccessor(declaration: "addTo#(_ values: Collection)", call: "addManagedObjects(values"),
        ToManyAccessor(declaration: "removeFrom#(_ values: Collection)", call: "removeManagedObjects(values"),
        ToManyAccessor(
            declaration: "insertInto#(_ value: Member, at idx: Int)", call: "insertManagedObject(value, at: idx",
            isOrdered: true),
        ToManyAccessor(
            declaration: "removeFrom#(at idx: Int)", call: "removeManagedObject(at: idx", isOrdered: true),
        ToManyAccessor(
            declaration: "insertInto#(_ values: [Member], at indexes: NSIndexSet)",
            call: "insertManagedObjects(values, at: indexes", isOrdered: true),
        ToManyAccessor(
            declaration: "removeFrom#(at indexes: NSIndexSet)", call: "removeManagedObjects(at: indexes",
            isOrdered: true),
        ToManyAccessor(
            declaration: "replace#(at idx: Int, with value: Member)",
            call: "replaceManagedObject(at: idx, with: value", isOrdered: true),
        ToManyAccessor(
            declaration: "replace#(at indexes: NSIndexSet, with values: [Member])",
            call: "replaceManagedObjects(at: indexes, with: values", isOrdered: true),
    ]

    func lines(property: String, member: String, collection: String) -> [String] {
        // The names of the model come last, as they may contain the words that are replaced.
        let text = declaration.replacing("Collection", with: "%").replacing("Member", with: member)
            .replacing("%", with: collection).replacing("#", with: SwiftText.capitalized(property))
        return ["    public func \(text) { \(call), forKey: \(SwiftText.literal(property))) }"]
    }
}
