/// The name of a method in Objective-C. Swift on Linux has no `#selector`, so a program writes the name itself:
/// `Selector("localizedStandardCompare:")`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, with its colons.
    public let description: String

    /// Takes a name.
    public init(_ name: String) { description = name }

    /// Takes a name.
    public init(stringLiteral name: String) { description = name }
}
