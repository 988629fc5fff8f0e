import StratusCloudModel

/// Addresses of published files.
enum PublishedAddress {
    /// The address of a file that has just been published; nil if the token is not known.
    /// - Parameter base: The server's own address.
    static func url(of file: PublishedFile, base: String) -> String? {
        file.token.map { "\(base)/published/\($0)/\(PercentEncoding.encode(file.name))" }
    }
}
