import StratusCloudCrypto

/// Makes the random names that the service gives out.
extension RandomSource {
    /// `_` and 32 hexadecimal digits.
    func userRecordName() -> String { "_" + Hex.encode(bytes(16)) }

    /// 64 hexadecimal digits: an API token or a key identifier.
    func token() -> String { Hex.encode(bytes(32)) }

    /// A version 4 UUID in upper case, as Apple names records.
    func uuid() -> String { UUIDText.make(of: bytes(16), version: 4) }

    /// 22 letters and digits for a share link.
    func shortGUID() -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        var text: [UInt8] = []
        while text.count < 22 {
            // Bytes beyond the last multiple of 62 are dropped, so that every letter is as likely.
            for byte in bytes(32) where byte < 248 && text.count < 22 { text.append(alphabet[Int(byte) % 62]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// UUIDs as Apple writes them.
private enum UUIDText {
    /// - Parameter bytes: 16 of them.
    static func make(of bytes: [UInt8], version: UInt8) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.encode(bytes).utf8).map { $0 >= UInt8(ascii: "a") ? $0 - 32 : $0 }
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Names of notifications that must be the same when they are made again.
enum NotificationID {
    /// A UUID that goes by the parts, of which none has a line break.
    static func derived(from parts: [String]) -> String {
        let hash = SHA256.hash(Array(parts.joined(separator: "\n").utf8))
        return UUIDText.make(of: Array(hash.prefix(16)), version: 8)
    }
}
