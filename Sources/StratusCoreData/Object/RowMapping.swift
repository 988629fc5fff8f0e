/// The places of an entity's properties in the rows of a store.
final class RowMapping {
    enum Place {
        /// The store does not keep the property.
        case none
        case value(Int)
        /// The positions of the elements of a composite attribute, by their paths.
        case composite([Element])
        /// The destinations are rows that lead here, or rows of a table of their own.
        case toMany
    }

    /// An element of a composite attribute.
    struct Element {
        /// The keys within the value of the composite attribute.
        let path: [String]
        let position: Int
        let attribute: NSAttributeDescription
    }

    let layout: EntityLayout
    let places: [Place]

    init(_ properties: [PropertyTable.Property], _ layout: EntityLayout) {
        self.layout = layout
        places = properties.map { Self.place($0, layout) }
    }

    private static func place(_ property: PropertyTable.Property, _ layout: EntityLayout) -> Place {
        if case .attribute(let attribute) = property.kind, let composite = attribute as? NSCompositeAttributeDescription
        {
            let elements = elements(of: composite, prefix: composite.name, path: [], layout)
            return elements.isEmpty ? .none : .composite(elements)
        }
        if let position = layout.positions[property.name] { return .value(position) }
        return layout.toMany[property.name] == nil ? .none : .toMany
    }

    private static func elements(
        of composite: NSCompositeAttributeDescription, prefix: String, path: [String], _ layout: EntityLayout
    ) -> [Element] {
        composite.elements.flatMap { attribute -> [Element] in
            let (name, keys) = (prefix + "." + attribute.name, path + [attribute.name])
            if let inner = attribute as? NSCompositeAttributeDescription {
                return elements(of: inner, prefix: name, path: keys, layout)
            }
            return layout.positions[name].map { [Element(path: keys, position: $0, attribute: attribute)] } ?? []
        }
    }
}
