import Foundation

/// The merge of an object that was changed here with its record that was changed there.
struct RowMerge {
    /// The attributes that take their value; nil for no value.
    private(set) var values: [String: MirroredValue?] = [:]
    /// The to-one relationships that take their target; nil for no target.
    private(set) var references: [String: String?] = [:]
    /// Whether something differs from their record afterwards.
    private(set) var keepsOurs = false

    /// - Parameters:
    ///   - base: The values that both had last in common; nil if they never had.
    ///   - prefersTheirs: Whether theirs is the newer change.
    init(base: MirroredBase?, ours: MirroredRow, theirs: MirroredRow, prefersTheirs: Bool) {
        let (oursPrint, theirsPrint) = (MirroredBase(ours), MirroredBase(theirs))
        func takesTheirs<Value: Equatable>(_ common: Value??, _ ours: Value?, _ theirs: Value?) -> Bool {
            guard let common else { return prefersTheirs }
            if theirs == common { return false }
            return ours == common || prefersTheirs
        }
        for name in Set(ours.values.keys).union(theirs.values.keys) {
            let (mine, other) = (oursPrint.values[name], theirsPrint.values[name])
            guard mine != other else { continue }
            if takesTheirs(base.map { $0.values[name] }, mine, other) {
                values[name] = .some(theirs.values[name])
            } else {
                keepsOurs = true
            }
        }
        for name in Set(ours.references.keys).union(theirs.references.keys) {
            let (mine, other) = (ours.references[name], theirs.references[name])
            guard mine != other else { continue }
            if takesTheirs(base.map { $0.references[name] }, mine, other) {
                references[name] = .some(other)
            } else {
                keepsOurs = true
            }
        }
    }
}
