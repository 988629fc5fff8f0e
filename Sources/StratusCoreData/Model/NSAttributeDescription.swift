import Foundation

/// A property that holds a value.
open class NSAttributeDescription: NSPropertyDescription {
    /// The type of the value. Setting it sets ``attributeValueClassName``, too.
    open var attributeType = NSAttributeType.undefinedAttributeType {
        willSet { assertMutable() }
        didSet { attributeValueClassName = attributeType.valueClassName }
    }

    /// The name of the class of the values.
    open var attributeValueClassName: String? { willSet { assertMutable() } }

    /// The value of a new object's attribute.
    open var defaultValue: Any? { willSet { assertMutable() } }

    /// The name of the transformer that a transformable value is stored through.
    open var valueTransformerName: String? { willSet { assertMutable() } }

    /// Whether the store may write large values to files of their own.
    open var allowsExternalBinaryDataStorage = false { willSet { assertMutable() } }

    /// Whether the history's tombstone of a deleted object has the value.
    open var preservesValueInHistoryOnDeletion = false { willSet { assertMutable() } }

    /// Whether the value is encrypted in the cloud.
    open var allowsCloudEncryption = false { willSet { assertMutable() } }

    /// The type of the value, as a value of its own type.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set { attributeType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSAttributeDescription else { return }
        copy.attributeType = attributeType
        copy.attributeValueClassName = attributeValueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.allowsCloudEncryption = allowsCloudEncryption
    }

    override func addFacts(to hash: inout VersionHash) {
        hash.add("attribute")
        super.addFacts(to: &hash)
        hash.add(Int(attributeType.rawValue))
        hash.add(allowsExternalBinaryDataStorage)
    }

    /// The type of an attribute's value.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The number of the type in Apple's model files.
        public let rawValue: UInt

        /// Takes the number of a type.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        private init(_ type: NSAttributeType) { rawValue = type.rawValue }

        /// No type yet.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// A whole number of 16 bits.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// A whole number of 32 bits.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// A whole number of 64 bits.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// A decimal number, as `NSDecimalNumber`.
        public static let decimal = AttributeType(.decimalAttributeType)
        /// A number of double precision.
        public static let double = AttributeType(.doubleAttributeType)
        /// A number of single precision.
        public static let float = AttributeType(.floatAttributeType)
        /// A text.
        public static let string = AttributeType(.stringAttributeType)
        /// True or false.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(.dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(.URIAttributeType)
        /// Any object, stored as bytes by a value transformer.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// The identifier of a managed object.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// A dictionary of other attributes.
        public static let composite = AttributeType(.compositeAttributeType)
    }
}

/// An attribute whose value is a dictionary with the values of other attributes, its elements.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of the dictionary; composite ones may be among them.
    open var elements: [NSAttributeDescription] = [] { willSet { assertMutable() } }

    /// Makes a description without a name and without elements.
    public required init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSCompositeAttributeDescription else { return }
        copy.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
    }

    override func freeze() {
        super.freeze()
        for element in elements { element.freeze() }
    }

    override func addFacts(to hash: inout VersionHash) {
        super.addFacts(to: &hash)
        hash.add(elements.sorted { $0.name < $1.name }.map(\.versionHash))
    }
}
