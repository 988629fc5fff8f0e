import Glibc

/// A key: bytes, compared as unsigned from the first on.
public struct Key: Hashable, Comparable, Sendable {
    /// The key itself.
    public var bytes: [UInt8]

    /// A key of bytes; without any, the first of all keys.
    public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Whether both have the same bytes.
    public static func == (left: Key, right: Key) -> Bool {
        left.bytes.count == right.bytes.count
            && left.bytes.withUnsafeBytes { a in
                right.bytes.withUnsafeBytes { b in
                    guard let first = a.baseAddress, let second = b.baseAddress else { return true }
                    return memcmp(first, second, a.count) == 0
                }
            }
    }

    /// Feeds the bytes in one piece.
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// Whether `left` sorts before `right`; a key sorts before those that begin with it.
    public static func < (left: Key, right: Key) -> Bool {
        left.bytes.withUnsafeBytes { a in
            right.bytes.withUnsafeBytes { b in
                guard let first = a.baseAddress, let second = b.baseAddress else { return a.count < b.count }
                let order = memcmp(first, second, min(a.count, b.count))
                return order != 0 ? order < 0 : a.count < b.count
            }
        }
    }
}

/// The keys from `lower`, which is in it, up to `upper`, which is not.
public struct KeyRange: Hashable, Sendable {
    /// The first key that may be in the range.
    public var lower: Key
    /// The first key behind the range.
    public var upper: Key

    /// The keys from `lower` up to `upper`; none unless `lower` is less.
    public init(lower: Key, upper: Key) {
        self.lower = lower
        self.upper = upper
    }

    /// All keys that begin with `prefix`.
    public init(prefix: Key) {
        self.init(lower: prefix, upper: prefix.afterAllWithThisPrefix)
    }

    /// Whether no key can be in the range.
    public var isEmpty: Bool { lower >= upper }
    /// Whether a key is in the range.
    public func contains(_ key: Key) -> Bool { lower <= key && key < upper }
}

extension Key {
    /// The first key that does not begin with this one. Keys must not be 0xFF throughout, which tuples never are.
    public var afterAllWithThisPrefix: Key {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < 0xFF {
                bytes.append(last + 1)
                return Key(bytes)
            }
        }
        return Key(Array(repeating: 0xFF, count: StoreLimits.keySize + 1))
    }

    /// The first key behind this one.
    public var next: Key { Key(bytes + [0]) }
}
