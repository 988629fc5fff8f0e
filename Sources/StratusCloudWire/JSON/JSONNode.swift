/// One value of a parsed text. Nodes lie in the order of the text; what is inside a container follows it, and the
/// members of an object are pairs of a key's node and a value's node.
struct JSONNode {
    enum Kind: UInt8 {
        case null, no, yes
        /// A number without fraction and exponent that fits 64 bits.
        case integer
        /// Any other finite number.
        case decimal
        case string, array, object
    }

    /// Where the value begins in the text; for a string, the first byte behind the quotation mark.
    let offset: UInt32
    /// Bytes of a number or of a string between its quotation marks; members or elements of a container.
    var length: UInt32
    /// Index of the node behind this one and everything inside it.
    var next: UInt32
    let kind: Kind
    /// Whether a string contains escapes, and so differs from its bytes in the text.
    let isEscaped: Bool

    /// The bytes in the text of a number or a string.
    var range: Range<Int> { Int(offset)..<Int(offset) + Int(length) }
}
