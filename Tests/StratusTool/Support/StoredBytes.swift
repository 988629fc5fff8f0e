import Foundation
import Testing

/// What stopped servers left on the disk.
enum StoredBytes {
    /// Changes a bit of this text, wherever it stands in the files of a directory.
    static func damage(_ text: Data, in directory: URL) throws {
        var hits = 0
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil) {
            var bytes = try Data(contentsOf: file)
            guard let place = bytes.range(of: text)?.lowerBound else { continue }
            bytes[place] ^= 1
            try bytes.write(to: file)
            hits += 1
        }
        try #require(hits == 1)
    }
}
