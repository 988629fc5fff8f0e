import StratusSeeds
import Testing

@testable import StratusUbiquity

@Suite struct ChangeCountTests {
    /// A document with its whole history: what was done, what was undone, and what was saved.
    private struct Model {
        var done: [Int] = []
        var undone: [Int] = []
        var saved: [Int] = []
        var next = 0

        mutating func perform(_ change: UIDocument.ChangeKind) -> Bool {
            switch change {
            case .done:
                next += 1
                done.append(next)
                undone = []
            case .undone:
                guard let last = done.popLast() else { return false }
                undone.append(last)
            case .redone:
                guard let last = undone.popLast() else { return false }
                done.append(last)
            case .cleared: saved = done
            }
            return true
        }
    }

    @Test(arguments: 1...50) func aDocumentIsSavedExactlyIfItIsAsItWasSaved(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var (model, count) = (Model(), ChangeCount())
        var saves: [(contents: [Int], token: ChangeCount.Token)] = []
        for _ in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: saves.append((model.done, count.token))
            case 1:
                guard let save = saves.popLast() else { continue }
                model.saved = save.contents
                count.save(save.token)
            case let number:
                let kinds: [UIDocument.ChangeKind] = [.done, .done, .undone, .undone, .redone, .cleared]
                let change = kinds[number - 2]
                guard model.perform(change) else { continue }
                count.note(change)
            }
            #expect(count.isSaved == (model.saved == model.done))
        }
    }
}
