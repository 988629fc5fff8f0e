/// Base64 with the standard alphabet and padding (RFC 4648, section 4), strict: only canonical text is decoded.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding: UInt8 = 0x3D
    private static let invalid: UInt8 = 0xFF
    /// The value of each possible byte, or `invalid`.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// `bytes` in base64 with padding.
    public static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBufferPointer { encode($0) } }

    /// `bytes` in base64 with padding.
    public static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { output in
            alphabet.withUnsafeBufferPointer { alphabet in encode(bytes, with: alphabet, into: output) }
            return count
        }
    }

    /// The bytes that `text` encodes, or nil for anything but canonical, padded base64 (no white space).
    public static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(utf8: $0) }
    }

    /// The bytes that `text` encodes, or nil for anything but canonical, padded base64 (no white space).
    public static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        guard let last = text.last else { return [] }
        let padded = last != padding ? 0 : text[text.count - 2] != padding ? 1 : 2
        let count = text.count / 4 * 3 - padded
        var isValid = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            isValid = values.withUnsafeBufferPointer { values in
                decode(UnsafeBufferPointer(rebasing: text.dropLast(padded)), with: values, into: output)
            }
            written = isValid ? count : 0
        }
        return isValid ? bytes : nil
    }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, with alphabet: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let whole = bytes.count / 3
        for group in 0..<whole {
            let bits = UInt32(bytes[group * 3]) << 16 | UInt32(bytes[group * 3 + 1]) << 8 | UInt32(bytes[group * 3 + 2])
            output[group * 4] = alphabet[Int(bits >> 18)]
            output[group * 4 + 1] = alphabet[Int(bits >> 12 & 63)]
            output[group * 4 + 2] = alphabet[Int(bits >> 6 & 63)]
            output[group * 4 + 3] = alphabet[Int(bits & 63)]
        }
        let left = bytes.count - whole * 3
        guard left > 0 else { return }
        let bits = UInt32(bytes[whole * 3]) << 16 | (left == 2 ? UInt32(bytes[whole * 3 + 1]) << 8 : 0)
        output[whole * 4] = alphabet[Int(bits >> 18)]
        output[whole * 4 + 1] = alphabet[Int(bits >> 12 & 63)]
        output[whole * 4 + 2] = left == 2 ? alphabet[Int(bits >> 6 & 63)] : padding
        output[whole * 4 + 3] = padding
    }

    /// Decodes text without its padding. False if a character is not of the alphabet or unused bits are set.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, with values: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        // Values are under 64, so `invalid` shows in the two top bits of all of them together.
        var seen: UInt8 = 0
        func value(_ index: Int) -> UInt32 {
            let value = values[Int(text[index])]
            seen |= value
            return UInt32(value)
        }
        let whole = text.count / 4
        for group in 0..<whole {
            let at = group * 4
            let bits = value(at) << 18 | value(at + 1) << 12 | value(at + 2) << 6 | value(at + 3)
            output[group * 3] = UInt8(truncatingIfNeeded: bits >> 16)
            output[group * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            output[group * 3 + 2] = UInt8(truncatingIfNeeded: bits)
        }
        let left = text.count - whole * 4
        guard left > 0 else { return seen < 64 }
        let at = whole * 4
        let bits = value(at) << 18 | value(at + 1) << 12 | (left == 3 ? value(at + 2) << 6 : 0)
        output[whole * 3] = UInt8(truncatingIfNeeded: bits >> 16)
        if left == 3 { output[whole * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
        let unused: UInt32 = left == 3 ? 0xFF : 0xFFFF
        return seen < 64 && bits & unused == 0
    }
}
