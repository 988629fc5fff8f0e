import Foundation

/// A type that knows the names of its computed properties in key paths, which Swift does not have.
package protocol KeyPathNaming {
    /// Returns the names of the properties that a key path leads through, separated by dots.
    static func names(in keyPath: AnyKeyPath) -> String?
}

/// The names in Swift's key paths.
enum PropertyNames {
    /// `name` of `\Person.name`, `boss.title` of `\Person.boss.title`, `self` of `\Person.self`; nil if a part is computed or no property, which
    /// Swift does not name.
    static func path(of keyPath: AnyKeyPath) -> String? {
        let text = String(describing: keyPath)
        guard text.first == "\\", !text.contains("<"), let dot = root(of: keyPath, in: text) else { return nil }
        // Optional chaining is what keys do anyway.
        let names = text[dot...].replacingOccurrences(of: "?", with: "").replacingOccurrences(of: "!", with: "")
            .split(separator: ".").map(String.init)
        // The identity key path is the object itself.
        if names == ["self"] { return "self" }
        guard !names.isEmpty, names.allSatisfy({ $0 != "self" && !$0.contains("(") && !$0.contains("[") }) else {
            return nil
        }
        return names.joined(separator: ".")
    }

    /// Where the name of the root type ends.
    private static func root(of keyPath: AnyKeyPath, in text: String) -> String.Index? {
        text.firstIndex(of: ".")
    }
}
