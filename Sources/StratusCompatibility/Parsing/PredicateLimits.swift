/// What predicates may hold. The documentation quotes this file.
public enum PredicateLimits {
    /// Parentheses, functions and negations inside each other, in a format.
    public static let depth = 64
    /// Arithmetic operators and subscripts, in a format.
    public static let operators = 1_000
    /// UTF-8 bytes of a format.
    public static let formatLength = 1_048_576
}
