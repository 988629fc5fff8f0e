/// Bounds of what the reader takes, so that memory and stack depend on the size of the text only.
public enum JSONLimits {
    /// Containers inside each other.
    public static let depth = 64
    /// Characters of one number; a double never needs more than 800.
    public static let numberLength = 1_024
    /// Bytes of one text when the caller gives no limit of its own.
    public static let textSize = 16 * 1_048_576
    /// Bytes of an answer, when the caller gives no limit of its own: a page of the largest records, with room.
    public static let answerSize = 512 * 1_048_576
    /// Bytes of any text: positions are kept in 32 bits.
    static let greatestTextSize = Int(Int32.max)
    /// Objects of up to this many members are searched for repeated keys pair by pair, larger ones with a hash table.
    static let pairwiseKeys = 16
    /// Bytes of a key that a message shows.
    static let keyLengthInMessages = 64
}
