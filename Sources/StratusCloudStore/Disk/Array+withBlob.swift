extension [UInt8] {
    /// The bytes for binding; like `withUnsafeBytes`, keeping the type of what is thrown.
    func withBlob<Result>(
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let result = withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
            do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
