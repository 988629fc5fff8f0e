import StratusCSodium

/// libsodium must be initialized once before any other call.
enum Sodium {
    private static let status = sodium_init()

    /// Initializes the library on the first call.
    static func ready() { precondition(status >= 0, "libsodium cannot be initialized") }
}
