/// What waits, in order of arrival. Taking moves nothing until much was taken.
struct Fifo<Element> {
    private var elements: [Element] = []
    private var next = 0

    /// Taken elements that may lie in front before the rest is moved.
    private static var slack: Int { 1_024 }

    var isEmpty: Bool { next == elements.count }

    var first: Element? { isEmpty ? nil : elements[next] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard next < elements.count else { return nil }
        let element = elements[next]
        next += 1
        if next == elements.count {
            elements.removeAll(keepingCapacity: next <= Self.slack)
            next = 0
        } else if next >= Self.slack {
            elements.removeFirst(next)
            next = 0
        }
        return element
    }
}
