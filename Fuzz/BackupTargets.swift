import StratusCloudService

/// Names in restic's protocol: a device, a kind of file and a file. What is accepted leads to no other place.
struct BackupNameTarget: FuzzTarget {
    let name = "backup-name"

    var corpus: [[UInt8]] {
        ["laptop", "a.b-c_d", "..", String(repeating: "0a", count: 32), String(repeating: "0A", count: 32)].map {
            Array($0.utf8)
        }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let isFile = BackupFile(.data, name: text) != nil
        if isFile,
            text.utf8.count != 64 || !text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        {
            throw BrokenPromise(what: "a file has a name that is no hash: \(text)")
        }
        guard let device = BackupDevice(text) else { return isFile }
        guard device.name == text, !text.hasPrefix("."), !text.contains("/"), !text.contains("\0") else {
            throw BrokenPromise(what: "a device has a name that is none: \(text)")
        }
        return true
    }
}
