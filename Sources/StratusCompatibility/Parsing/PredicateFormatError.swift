/// Why a predicate format cannot be read, and where.
public struct PredicateFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The format.
    public let format: String
    /// Characters of the format before the place that does not fit.
    public let position: Int
    /// What is expected there, or what is wrong.
    public let reason: String

    /// The reason, and the format with a mark below the place.
    public var description: String {
        let line = format.map { $0.isNewline ? " " : $0 }
        let start = max(0, min(position, line.count) - Self.context)
        let end = min(line.count, position + Self.context)
        let excerpt = start < end ? String(line[start..<end]) : ""
        let mark = String(repeating: " ", count: max(0, position - start)) + "^"
        return "Unable to parse the predicate format at character \(position): \(reason)\n    \(excerpt)\n    \(mark)"
    }

    /// Characters shown on each side of the place.
    private static let context = 60
}
