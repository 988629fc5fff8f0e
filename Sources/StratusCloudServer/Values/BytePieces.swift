/// The pieces of some bytes between separators, empty ones left out. Every request's path and query is read with it, so
/// it makes no array of them.
struct BytePieces: Sequence, IteratorProtocol {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>
    private let separator: UInt8

    init(_ bytes: UnsafeBufferPointer<UInt8>, separator: UInt8) {
        rest = bytes[...]
        self.separator = separator
    }

    mutating func next() -> Slice<UnsafeBufferPointer<UInt8>>? {
        while let first = rest.first, first == separator { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: separator) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }
}
