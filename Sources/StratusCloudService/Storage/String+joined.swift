extension String {
    /// Texts, one behind the other, in memory that is asked for once: an interpolation asks for more with each.
    static func joined(_ texts: String...) -> String {
        let size = texts.reduce(0) { $0 + $1.utf8.count }
        return String(unsafeUninitializedCapacity: size) { memory in
            var place = 0
            for var text in texts {
                text.withUTF8 { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[place...])
                        .copyMemory(from: UnsafeRawBufferPointer(bytes))
                    place += bytes.count
                }
            }
            return place
        }
    }
}
