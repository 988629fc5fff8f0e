/// Names that no other test uses.
public enum Unique {
    /// `prefix` and 16 hexadecimal digits, which every kind of name may have.
    public static func name(_ prefix: String) -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
