import StratusCloudModel

/// What is wrong with a text, and at which byte.
struct JSONSyntaxError: Error {
    let message: StaticString
    /// Bytes from the beginning.
    let offset: Int

    var refusal: CloudError {
        CloudError(.badRequest, "The body is not valid JSON: \(message) at byte \(offset).")
    }
}
