/// The changes of a document, and which of its states was saved.
struct ChangeCount {
    /// A state of the document, for a save that writes it.
    struct Token: Sendable {
        fileprivate var changes = 0
        fileprivate var branches = 0
    }

    private var changes = 0
    /// The largest number of changes that redoing leads to.
    private var highest = 0
    /// The numbers of changes at which a new change has taken the place of undone ones, which then cannot come back.
    private var branches: [Int] = []
    private var saved = Token()

    /// The state at the moment.
    var token: Token { Token(changes: changes, branches: branches.count) }

    /// Whether the state is the one that was saved.
    var isSaved: Bool { saved.changes == changes && branches[saved.branches...].allSatisfy { $0 >= saved.changes } }

    /// Notes something that a person did.
    mutating func note(_ change: UIDocument.ChangeKind) {
        switch change {
        case .done:
            if changes < highest { branches.append(changes) }
            changes += 1
            highest = changes
        case .redone: changes += 1
        case .undone: changes -= 1
        case .cleared: saved = token
        }
    }

    /// Notes that a state was saved. What was done since then is not.
    mutating func save(_ token: Token) { saved = token }
}
