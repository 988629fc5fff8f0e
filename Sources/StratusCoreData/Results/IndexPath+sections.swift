import Foundation

// On Apple's systems the frameworks for interfaces add these.
extension IndexPath {
    /// The path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The number of the section. The path must have two numbers.
    public var section: Int { self[0] }

    /// The number of the item in its section. The path must have two numbers.
    public var item: Int { self[1] }

    /// The number of the row in its section. The path must have two numbers.
    public var row: Int { self[1] }
}
