import StratusSeeds
import Testing

@testable import StratusDriveMount

@Suite struct ItemTreeTests {
    @Test("what is pending, and which unsent contents are used, is known without a search") func indexes() {
        var random = SeededRandom(seed: Seed.draw())
        var tree = ItemTree()
        let (ids, contents) = (["a", "b", "c", "d", "e"], ["one", "two", "three"])
        for _ in 0..<2_000 {
            let id = ids[random.below(ids.count)]
            if random.chance(30) {
                tree.remove(id)
            } else {
                var item = MountedItem(
                    id: id, name: "\(random.below(4))", folder: ids[random.below(2)], kind: .file, at: 0)
                item.pending = MountedItem.Pending(rawValue: random.chance(50) ? 0 : 1 << UInt8(random.below(6)))
                item.unsent = random.chance(50) ? nil : contents[random.below(contents.count)]
                tree.put(item)
            }
            let items = tree.items.values
            #expect(tree.pending == Set(items.filter { !$0.pending.isEmpty }.map(\.id)), "\(random)")
            for content in contents {
                #expect(tree.hasUnsent(content) == items.contains { $0.unsent == content }, "\(random)")
            }
        }
    }
}
