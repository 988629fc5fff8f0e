/// Bounds of a document, which the user of the reader chooses.
public struct XMLLimits: Hashable, Sendable {
    /// Bytes of the document.
    public let size: Int
    /// Levels of elements.
    public let depth: Int
    /// Elements.
    public let elements: Int
    /// Bytes of a namespace.
    public let namespaceSize: Int

    /// Takes the bounds.
    public init(size: Int, depth: Int, elements: Int, namespaceSize: Int) {
        self.size = size
        self.depth = depth
        self.elements = elements
        self.namespaceSize = namespaceSize
    }
}
