import Glibc
import StratusCUbiquity

/// Extended attributes of files, which Linux lets users set in the namespace `user`.
enum ExtendedAttributes {
    /// Bytes of an attribute, at most; Linux has the same limit.
    static let limit = 65_536

    /// The value of an attribute; nil if the file or the attribute does not exist.
    static func value(of name: String, at path: String) -> [UInt8]? {
        let size = stratus_get_attribute(path, name, nil, 0)
        guard size >= 0, size <= limit else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = stratus_get_attribute(path, name, &bytes, size)
        return count == size ? bytes : nil
    }

    /// Sets an attribute, or removes it.
    /// - Returns: 0, or the error of the system.
    static func set(_ name: String, to value: [UInt8]?, at path: String) -> Int32 {
        guard let value else {
            return stratus_remove_attribute(path, name) == 0 || errno == ENODATA ? 0 : errno
        }
        return stratus_set_attribute(path, name, value, value.count) == 0 ? 0 : errno
    }
}
