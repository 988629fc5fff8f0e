import StratusCoreData

extension NSAttributeDescription {
    /// An attribute of a model in a test.
    static func make(_ name: String, _ type: AttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        return attribute
    }
}
