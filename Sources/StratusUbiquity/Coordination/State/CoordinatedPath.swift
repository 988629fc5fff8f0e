import Foundation

/// Rules about canonical paths. See ``canonical(_:followingLast:)`` for what that means.
enum CoordinatedPath {
    /// Whether one path is the other, or lies inside of it.
    static func meet(_ one: String, _ other: String) -> Bool { contains(one, other) || contains(other, one) }

    /// Whether a path is the other, or lies inside of it.
    static func contains(_ outer: String, _ inner: String) -> Bool {
        guard inner.utf8.count > outer.utf8.count else { return inner == outer }
        return inner.hasPrefix(outer.hasSuffix("/") ? outer : outer + "/")
    }

    /// Whether a path lies inside of another.
    static func isInside(_ inner: String, _ outer: String) -> Bool { inner != outer && contains(outer, inner) }

    /// The path of an item after an item was moved that it is or lies inside of; the same path otherwise.
    static func follow(_ path: String, from old: String, to new: String) -> String {
        contains(old, path) ? new + path.dropFirst(old.count) : path
    }
}
