/// States by the positions of properties. An object has changed few of its properties, which a list finds faster than a
/// dictionary does.
struct PositionMap: Sequence, ExpressibleByDictionaryLiteral {
    typealias Element = (position: Int, state: PropertyState)

    private var elements: [Element] = []

    init(dictionaryLiteral elements: (Int, PropertyState)...) {
        for (position, state) in elements { self[position] = state }
    }

    var isEmpty: Bool { elements.isEmpty }

    var positions: [Int] { elements.map(\.position) }

    func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    subscript(position: Int) -> PropertyState? {
        get { elements.first { $0.position == position }?.state }
        set {
            let index = elements.firstIndex { $0.position == position }
            switch (index, newValue) {
            case (let index?, let state?): elements[index].state = state
            case (let index?, nil): elements.remove(at: index)
            case (nil, let state?): elements.append((position, state))
            case (nil, nil): break
            }
        }
    }

    /// Adds a state, unless the position has one.
    mutating func keep(_ state: PropertyState, at position: Int) {
        guard !elements.contains(where: { $0.position == position }) else { return }
        elements.append((position, state))
    }

    /// Returns the elements that satisfy a condition.
    func filter(_ isIncluded: (Int, PropertyState) -> Bool) -> PositionMap {
        var rest: PositionMap = [:]
        rest.elements = elements.filter { isIncluded($0.position, $0.state) }
        return rest
    }

    mutating func remove(_ position: Int) -> PropertyState? {
        elements.firstIndex { $0.position == position }.map { elements.remove(at: $0).state }
    }
}
