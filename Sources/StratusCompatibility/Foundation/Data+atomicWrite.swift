import Foundation

extension Data.WritingOptions {
    /// The older name of `atomic`, which Foundation on Linux lacks.
    @available(*, deprecated, renamed: "atomic")
    public static var atomicWrite: Data.WritingOptions { .atomic }
}
