/// The reason why a document was refused.
public struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Kind: Hashable, Sendable {
        case tooLarge
        case outOfMemory
        case malformed
        case documentType
        case tooDeep
        case tooManyElements
        case longNamespace
    }

    /// The kind of the reason.
    public let kind: Kind
    /// The line of the document, from 1.
    public let line: Int

    /// Makes an error.
    public init(kind: Kind, line: Int) {
        self.kind = kind
        self.line = line
    }

    /// A phrase for people that goes on after the name of the document: "is too large".
    public var reason: String {
        switch kind {
        case .tooLarge: "is too large"
        case .outOfMemory: "needs more memory than there is"
        case .malformed: "is not well-formed XML"
        case .documentType: "has a document type declaration, which is not allowed"
        case .tooDeep: "has elements that are nested too deeply"
        case .tooManyElements: "has too many elements"
        case .longNamespace: "has a namespace that is too long"
        }
    }

    /// The reason with the line.
    public var description: String { "line \(line): the document \(reason)" }
}
