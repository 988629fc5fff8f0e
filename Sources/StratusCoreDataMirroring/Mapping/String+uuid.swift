import Foundation
import StratusCloudCrypto

extension String {
    /// Returns a UUID that follows from a text, so that all devices choose the same.
    static func uuid(following text: String) -> String {
        var bytes = Array(SHA256.hash(text).prefix(16))
        // The form of a UUID whose bits are the application's own (version 8 of RFC 9562).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
    }

    /// Whether the text may be a UUID that follows from another text.
    var hasFormOfFollowingUUID: Bool { UUID(uuidString: self) != nil && dropFirst(14).first == "8" }
}
