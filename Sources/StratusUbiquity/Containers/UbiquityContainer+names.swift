import Foundation

extension UbiquityContainer {
    /// The path in the container of what a person names in a terminal, by the item or by its placeholder.
    ///
    /// A relative path begins in the working directory if that is in the container, and in the container otherwise.
    package func relativePath(of name: String, from workingDirectory: String) throws(DriveError) -> String {
        let here = CoordinatedPath.canonical(URL(fileURLWithPath: workingDirectory), followingLast: true)
        let base = CoordinatedPath.contains(path, here) ? here : path
        let item = CoordinatedPath.canonical(
            URL(fileURLWithPath: name.utf8.first == UInt8(ascii: "/") ? name : base + "/" + name))
        guard CoordinatedPath.contains(path, item) else {
            throw DriveError(.noSuchFile, "'\(name)' is not in '\(path)'")
        }
        return relative(UbiquityState.item(ofPlaceholder: item) ?? item)
    }
}
