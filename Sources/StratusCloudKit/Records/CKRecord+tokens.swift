import Foundation

extension CKRecord {
    /// The words of all texts, for a search in records that are here.
    public func allTokens() -> [String] {
        let values = state.withLock { state in state.plain.values.sorted { $0.key < $1.key }.map(\.value) }
        return values.flatMap { value -> [String] in
            switch value.object {
            case let text as NSString: Self.tokens(in: String(describing: text))
            case let list as NSArray: list.flatMap { ($0 as? String).map(Self.tokens(in:)) ?? [] }
            default: []
            }
        }
    }

    private static func tokens(in text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
