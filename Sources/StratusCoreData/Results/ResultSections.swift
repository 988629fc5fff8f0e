import Foundation
import StratusCompatibility

/// The results of a fetch, in order and in sections.
struct ResultSections {
    struct Section {
        let name: String
        var objects: [NSManagedObject]
    }

    private(set) var sections: [Section]
    /// The place of each object.
    private(set) var paths: [NSManagedObject: IndexPath] = [:]

    /// Makes sections of objects in order: neighbours of the same name are in one section.
    /// - Parameter keyPath: The key path of the names of sections; nil for one section with all objects.
    init(_ objects: [NSManagedObject], by keyPath: String?) {
        guard let keyPath else {
            sections = [Section(name: "", objects: objects)]
            notePaths()
            return
        }
        sections = []
        var numbers: [String: Int] = [:]
        for object in objects {
            let name = Self.name(of: object, keyPath)
            if let number = numbers[name] {
                sections[number].objects.append(object)
            } else {
                numbers[name] = sections.count
                sections.append(Section(name: name, objects: [object]))
            }
        }
        notePaths()
    }

    /// Makes sections with as many objects as a cache says; nil if there are more or fewer objects.
    init?(_ objects: [NSManagedObject], _ cached: [SectionCache.Section]) {
        let sizes = 1...max(1, objects.count)
        guard cached.allSatisfy({ sizes.contains($0.count) }), cached.map(\.count).reduce(0, +) == objects.count else {
            return nil
        }
        sections = []
        var rest = objects[...]
        for section in cached {
            sections.append(Section(name: section.name, objects: Array(rest.prefix(section.count))))
            rest = rest.dropFirst(section.count)
        }
        notePaths()
    }

    private static func name(of object: NSManagedObject, _ keyPath: String) -> String {
        guard let value = object.value(forKeyPath: keyPath) else { return "" }
        return value as? String ?? "\(value)"
    }

    private mutating func notePaths() {
        for (number, section) in sections.enumerated() {
            for (item, object) in section.objects.enumerated() {
                paths[object] = IndexPath(indexes: [number, item])
            }
        }
    }

    var objects: [NSManagedObject] { sections.flatMap(\.objects) }

    subscript(_ path: IndexPath) -> NSManagedObject? {
        guard path.count == 2, sections.indices.contains(path[0]), sections[path[0]].objects.indices.contains(path[1])
        else { return nil }
        return sections[path[0]].objects[path[1]]
    }
}

/// The differences of two states of results, as views take them: what is deleted and where moves begin is counted in the
/// former state, what is inserted and where moves end in the new one.
struct ResultChanges {
    struct Change {
        let object: NSManagedObject
        let type: NSFetchedResultsChangeType
        let from: IndexPath?
        let to: IndexPath?
    }

    struct SectionChange {
        let section: ResultSections.Section
        let index: Int
        let type: NSFetchedResultsChangeType
    }

    private(set) var sections: [SectionChange] = []
    private(set) var objects: [Change] = []
    private let former: ResultSections
    private let new: ResultSections

    /// The difference of the IDs of all objects, with moves.
    var difference: CollectionDifference<NSManagedObjectID> {
        new.objects.map(\.objectID).difference(from: former.objects.map(\.objectID)).inferringMoves()
    }

    var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

    /// - Parameter changed: Objects whose values have changed.
    init(from former: ResultSections, to new: ResultSections, changed: Set<NSManagedObject>) {
        (self.former, self.new) = (former, new)
        // Views cannot move sections: those out of order are deleted and inserted.
        let kept = Self.keptSections(former, new)
        for (index, section) in former.sections.enumerated() where !kept.contains(section.name) {
            sections.append(SectionChange(section: section, index: index, type: .delete))
        }
        for (index, section) in new.sections.enumerated() where !kept.contains(section.name) {
            sections.append(SectionChange(section: section, index: index, type: .insert))
        }
        let unmoved = Self.unmoved(former, new, kept)
        for (object, path) in former.paths.sorted(by: { $0.value < $1.value }) where new.paths[object] == nil {
            objects.append(Change(object: object, type: .delete, from: path, to: nil))
        }
        for (object, path) in new.paths.sorted(by: { $0.value < $1.value }) {
            guard let from = former.paths[object] else {
                objects.append(Change(object: object, type: .insert, from: nil, to: path))
                continue
            }
            if !unmoved.contains(object) {
                objects.append(Change(object: object, type: .move, from: from, to: path))
            } else if changed.contains(object) {
                objects.append(Change(object: object, type: .update, from: from, to: path))
            }
        }
    }

    /// The names of the sections that are in both states and in the same order.
    private static func keptSections(_ former: ResultSections, _ new: ResultSections) -> Set<String> {
        let places = Dictionary(
            uniqueKeysWithValues: new.sections.enumerated().map { ($1.name, $0) })
        let common = former.sections.map(\.name).filter { places[$0] != nil }
        let increasing = longestIncreasing(common.map { places[$0] ?? 0 })
        return Set(increasing.map { common[$0] })
    }

    /// The objects that stay where they are while others come, go and move around them.
    private static func unmoved(
        _ former: ResultSections, _ new: ResultSections, _ kept: Set<String>
    ) -> Set<NSManagedObject> {
        var unmoved: Set<NSManagedObject> = []
        let numbers = Dictionary(uniqueKeysWithValues: new.sections.enumerated().map { ($1.name, $0) })
        for section in former.sections where kept.contains(section.name) {
            guard let number = numbers[section.name] else { continue }
            let common = section.objects.filter { new.paths[$0]?.first == number }
            for index in longestIncreasing(common.map { new.paths[$0]?[1] ?? 0 }) { unmoved.insert(common[index]) }
        }
        return unmoved
    }

    /// Returns the places of a longest part of different numbers that increases.
    static func longestIncreasing(_ numbers: [Int]) -> [Int] {
        var ends: [Int] = []
        var former = [Int?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            former[place] = low > 0 ? ends[low - 1] : nil
            if low < ends.count { ends[low] = place } else { ends.append(place) }
        }
        var places: [Int] = []
        var next = ends.last
        while let place = next {
            places.append(place)
            next = former[place]
        }
        return places.reversed()
    }
}
