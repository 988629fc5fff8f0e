import Foundation
import StratusTestSupport

extension TemporaryDirectory {
    /// A new file with these bytes, which was changed last long ago: another time tells any change of it.
    func file(_ bytes: Data) throws -> URL {
        let url = URL(fileURLWithPath: path + "/" + UUID().uuidString)
        try bytes.write(to: url)
        let longAgo = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: url.path)
        return url
    }
}
