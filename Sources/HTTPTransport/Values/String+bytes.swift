extension String {
    /// Whether all bytes of the text's UTF-8 are such. They are looked at in one piece and to the end, which is several
    /// times as quick as one by one up to the first that is not.
    func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            var refused: UInt8 = 0
            for byte in bytes { refused |= isAllowed(byte) ? 0 : 1 }
            return refused == 0
        } ?? utf8.allSatisfy(isAllowed)
    }
}
