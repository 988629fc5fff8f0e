/// Which Stratus this is.
public enum ServerVersion {
    /// As releases are numbered.
    public static let current = "0.1.0"
}
