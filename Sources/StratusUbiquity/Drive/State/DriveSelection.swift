/// The items that a person wants on this machine: all but those in folders that are not selected, and those of names that
/// are ignored. Leaving an item out deletes it nowhere else.
struct DriveSelection {
    /// The records of folders that are not selected.
    var deselected: Set<String> = []
    /// The names of `.stratusignore`.
    var ignoredNames: [String] = []
    /// Whether an item of a name stays where it is: for one of `ignoredNames`, or by default.
    var ignores: (String) -> Bool = { _ in false }
}
