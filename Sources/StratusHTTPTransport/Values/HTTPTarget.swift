import Glibc
import StratusWorkers

/// What a request asks for: the target of its first line. Requests that repeat the target of the one before them on a
/// connection share it, and with it what their handler found out from it.
public final class HTTPTarget: Sendable {
    /// The target exactly as received: not decoded, query included, printable ASCII only.
    public let text: String
    /// What stands before the first `?`, not decoded.
    public let path: String
    /// What follows the first `?`, not decoded; nil without one.
    public let query: String?
    /// Whether the text is visible ASCII only, as that of every target is which a handler sees.
    let isVisibleASCII: Bool
    private let finding = Lock((any AnyObject & Sendable)?.none)

    /// A target as received.
    public init(_ text: String) {
        self.text = text
        (path, query) = Self.split(text)
        isVisibleASCII = text.isVisibleASCII
    }

    /// What a handler finds out from the target alone: asked for once, and kept as long as the target is. All who ask
    /// must ask for the same.
    /// - Parameter find: must not ask again.
    public func finding(_ find: (HTTPTarget) -> any AnyObject & Sendable) -> any AnyObject & Sendable {
        finding.withLock { finding in
            if let finding { return finding }
            let found = find(self)
            finding = found
            return found
        }
    }

    /// Whether the target is this text.
    func isText(_ other: UnsafePointer<CChar>) -> Bool { text.withCString { strcmp($0, other) == 0 } }

    private static func split(_ target: String) -> (path: String, query: String?) {
        var target = target
        return target.withUTF8 { bytes in
            guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
                return (String(decoding: bytes, as: UTF8.self), nil)
            }
            return (
                String(decoding: bytes[..<mark], as: UTF8.self), String(decoding: bytes[(mark + 1)...], as: UTF8.self)
            )
        }
    }
}
