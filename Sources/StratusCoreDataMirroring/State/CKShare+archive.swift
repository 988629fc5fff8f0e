import Foundation
import StratusCloudKit

extension CKShare {
    /// The share with all of its fields.
    var archive: Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        encode(with: coder)
        return coder.encodedData
    }

    /// Reads a share from an archive; nil for bytes of something else.
    static func unarchived(_ data: Data) throws -> CKShare? {
        let coder = try NSKeyedUnarchiver(forReadingFrom: data)
        coder.requiresSecureCoding = true
        defer { coder.finishDecoding() }
        return CKShare(coder: coder)
    }
}
