import StratusModelFiles

/// Counts the attributes that composite types stand for. Each place that names a type has all attributes of the type, so
/// that a small file can describe more than memory can hold.
struct CompositeSizes {
    private let types: [String: [ModelAttribute]]
    private var known: [String: Int] = [:]

    init(_ types: [String: [ModelAttribute]]) { self.types = types }

    /// Returns the name of a type that stands for more attributes than a file may have; nil if none does.
    mutating func excessiveType() -> String? {
        types.keys.sorted().first { size(of: $0, depth: 0) > ModelFileLimits.elements }
    }

    private mutating func size(of name: String, depth: Int) -> Int {
        if let size = known[name] { return size }
        guard depth < ModelFileLimits.elementDepth else { return ModelFileLimits.elements + 1 }
        // A type that contains itself is an error that the builder names.
        known[name] = 0
        var size = 0
        for attribute in types[name] ?? [] where size <= ModelFileLimits.elements {
            size += 1 + (attribute.composite.map { self.size(of: $0, depth: depth + 1) } ?? 0)
        }
        known[name] = size
        return size
    }
}
