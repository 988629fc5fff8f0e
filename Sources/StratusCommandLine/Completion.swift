/// What a shell may offer for the word that is being typed.
public struct Completion: Hashable, Sendable {
    /// A word and what it is for.
    public struct Candidate: Hashable, Sendable {
        /// The whole word.
        public var word: String
        /// One line; may be empty.
        public var help: String
    }

    /// Words that begin with what is typed.
    public var candidates: [Candidate] = []
    /// Whether files are offered, too.
    public var includesFiles = false
    /// Whether directories are offered, too.
    public var includesDirectories = false

    /// Finds what can stand in the place of the last of `words`.
    ///
    /// `=` may be a word of its own between an option and its value, as bash splits words.
    /// - Parameter words: What is typed behind the tool's name, up to the cursor; the last word may be empty.
    public init(_ root: Command, _ words: [String]) {
        var walk = CompletionWalk(root)
        for word in words.dropLast() { walk.pass(word) }
        let word = words.last ?? ""
        if walk.areOptionsOver {
            offer(walk.positional, word)
        } else if let option = walk.openOption {
            offer(option.completion, word == "=" ? "" : word)
        } else if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            let name = word[..<equals].dropFirst(2)
            guard let option = walk.options.first(where: { $0.name == name }), option.form == .option else { return }
            let value = String(word[word.index(after: equals)...])
            if case .words(let known) = option.completion { offer(known.map { ($0, "") }, value, before: "--\(name)=") }
        } else if word.hasPrefix("-") {
            let known = walk.options.map { ($0.title, $0.help) } + [("--help", "Shows this help")]
            offer(known.filter { !walk.isUsedUp($0.0) }, word)
        } else if !walk.command.subcommands.isEmpty {
            offer(walk.command.shownSubcommands.map { ($0.name, $0.summary) }, word)
        } else {
            offer(walk.positional, word)
        }
    }

    private mutating func offer(_ value: ValueCompletion, _ word: String) {
        switch value {
        case .nothing: break
        case .files: includesFiles = true
        case .directories: includesDirectories = true
        case .words(let known): offer(known.map { ($0, "") }, word)
        }
    }

    private mutating func offer(_ known: [(word: String, help: String)], _ word: String, before prefix: String = "") {
        for (candidate, help) in known where candidate.hasPrefix(word) {
            candidates.append(Candidate(word: prefix + candidate, help: help))
        }
    }
}

/// Follows a command line that need not be complete or right.
private struct CompletionWalk {
    private(set) var path: [Command]
    /// The option whose value is next.
    private(set) var openOption: Declaration?
    private(set) var areOptionsOver = false
    private var given: Set<String> = []
    private var positionals = 0

    init(_ root: Command) { path = [root] }

    var command: Command { path[path.count - 1] }
    var options: [Declaration] { path.reversed().flatMap(\.options) }

    /// What is offered for the positional argument that is next.
    var positional: ValueCompletion {
        let all = command.positionals
        guard let last = all.last else { return .nothing }
        if positionals < all.count { return all[positionals].completion }
        return last.isRepeated ? last.completion : .nothing
    }

    /// Whether an option was given that stands only once.
    func isUsedUp(_ title: String) -> Bool {
        given.contains(title) && options.contains { $0.title == title && !$0.isRepeated }
    }

    mutating func pass(_ word: String) {
        if openOption != nil {
            if word != "=" { openOption = nil }
        } else if areOptionsOver || word == "-" || !word.hasPrefix("-") {
            passWord(word)
        } else if word == "--" {
            areOptionsOver = true
        } else if word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            guard let option = options.first(where: { $0.name == name }) else { return }
            given.insert(option.title)
            if option.form == .option, !word.contains("=") { openOption = option }
        } else if let letter = word.last, let option = options.first(where: { $0.short == letter }) {
            if option.form == .option { openOption = option }
        }
    }

    private mutating func passWord(_ word: String) {
        if !areOptionsOver, let next = command.subcommands.first(where: { $0.name == word }) {
            path.append(next)
        } else {
            positionals += 1
        }
    }
}
