import Foundation
import StratusCompatibility
import Testing

@Suite struct NSSortDescriptorTests {
    private let people: NSArray = [
        ["name": "b", "age": 2], ["name": "a", "age": 2], ["name": "c", "age": 1], ["name": "d"],
    ]

    private func names(_ descriptors: NSSortDescriptor...) -> [String] {
        people.sortedArray(using: descriptors).compactMap { ($0 as? [String: Any])?["name"] as? String }
    }

    @Test func sortsByKeys() {
        #expect(
            names(NSSortDescriptor(key: "age", ascending: true), NSSortDescriptor(key: "name", ascending: true)) == [
                "d", "c", "a", "b",
            ])
        #expect(
            names(NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: false)) == [
                "b", "a", "c", "d",
            ])
        #expect(
            (["b", "a"] as NSArray).sortedArray(using: [NSSortDescriptor(key: nil, ascending: true)]) as? [String] == [
                "a", "b",
            ])
        #expect(
            (["b", "a"] as NSArray).sortedArray(using: [NSSortDescriptor(key: "self", ascending: true)]) as? [String]
                == ["a", "b"])
    }

    @Test func sortsByAComparator() {
        let byLength = NSSortDescriptor(key: "name.length", ascending: false) { a, b in
            ((a as? NSNumber)?.intValue ?? 0) < ((b as? NSNumber)?.intValue ?? 0)
                ? .orderedAscending : .orderedDescending
        }
        #expect(byLength.compare(["name": "aa"], to: ["name": "b"]) == .orderedAscending)
    }

    @Test(
        arguments: [
            ("compare:", ["B10", "B9", "a", "b9"]), ("caseInsensitiveCompare:", ["a", "B10", "B9", "b9"]),
            ("localizedStandardCompare:", ["a", "b9", "B9", "B10"]),
        ] as [(Selector, [String])])
    func methodsOfTextsCompare(selector: Selector, expected: [String]) {
        let texts: NSArray = [["t": "B9"], ["t": "b9"], ["t": "a"], ["t": "B10"], [:] as [String: String], ["t": 5]]
        let descriptor = NSSortDescriptor(key: "t", ascending: true, selector: selector)
        let sorted = texts.sortedArray(using: [descriptor]).compactMap { ($0 as? [String: Any])?["t"] as? String }
        #expect(sorted.map { $0.lowercased() } == expected.map { $0.lowercased() })
        #expect(descriptor.selector == selector && descriptor.description == "(t, ascending, \(selector))")
        let reversed = descriptor.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.selector == selector && reversed?.ascending == false)
        #expect(descriptor == NSSortDescriptor(key: "t", ascending: true, selector: selector))
        #expect(descriptor != NSSortDescriptor(key: "t", ascending: true, selector: "localizedCompare:"))
    }

    @Test func descriptorsHaveKeys() {
        struct Person { var name: String }
        let descriptor = NSSortDescriptor(key: "modificationDate", ascending: false)
        #expect(descriptor.key == "modificationDate")
        #expect(!descriptor.ascending)
        #expect(descriptor.description == "(modificationDate, descending, compare:)")
        #expect(descriptor == NSSortDescriptor(key: "modificationDate", ascending: false))
        #expect(descriptor != NSSortDescriptor(key: "modificationDate", ascending: true))
        #expect((descriptor.reversedSortDescriptor as? NSSortDescriptor)?.ascending == true)
        #expect((descriptor.copy() as? NSSortDescriptor)?.key == "modificationDate")
        #expect(NSSortDescriptor(keyPath: \Person.name, ascending: true).key == "name")
    }
}
