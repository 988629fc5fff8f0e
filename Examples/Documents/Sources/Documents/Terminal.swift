import UIKit

/// What a person does with the documents, and what they see.
@MainActor final class Terminal {
    static let usage =
        "new <name> | open <name> | write <text> | save | versions | keep <number> | rename <name> | delete | close | "
        + "list | quit"

    /// The folder of the documents.
    private let folder: URL
    private let list: DocumentList
    private var document: TextDocument?
    /// The document's state as it was shown last.
    private var state: UIDocument.State = .closed
    /// What `versions` showed last, for `keep`.
    private var versions: [NSFileVersion] = []

    init(folder: URL) {
        self.folder = folder
        list = DocumentList { show("documents: " + ($0.isEmpty ? "none" : $0.joined(separator: ", "))) }
        _ = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification, object: nil, queue: .main
        ) { [weak self] _ in MainActor.assumeIsolated { self?.showState() } }
        list.start()
    }

    /// Does what a line says.
    func perform(_ line: String) async {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        do {
            switch (words.first, words.count) {
            case ("new", 2): await create(words[1])
            case ("open", 2): await open(words[1])
            case ("list", 1): show("documents: " + list.lines.joined(separator: ", "))
            default:
                guard let document else { return show(Self.usage) }
                try await perform(words, on: document)
            }
        } catch {
            show("it failed: \(error.localizedDescription)")
        }
    }

    private func perform(_ words: [String], on document: TextDocument) async throws {
        switch (words.first, words.count) {
        case ("write", 2): document.write(words[1])
        case ("save", 1): show(await document.autosave() ? "it is saved" : "it could not be saved")
        case ("versions", 1): try showVersions(of: document)
        case ("keep", 2): try await keep(words[1], of: document)
        case ("rename", 2): try await DocumentFiles.rename(document.fileURL, to: url(words[1]))
        case ("delete", 1): try await DocumentFiles.delete(document.fileURL)
        case ("close", 1): await close()
        default: show(Self.usage)
        }
    }

    /// Saves and closes the document that is open.
    func close() async {
        guard let document else { return }
        if !(await document.close()) { show("it could not be saved") }
    }

    private func create(_ name: String) async {
        await close()
        let document = TextDocument(fileURL: url(name))
        guard !FileManager.default.fileExists(atPath: document.fileURL.path) else { return show("there is one") }
        guard await document.save(to: document.fileURL, for: .forCreating) else { return show("it cannot be created") }
        follow(document)
    }

    private func open(_ name: String) async {
        await close()
        let document = TextDocument(fileURL: url(name))
        guard await document.open() else { return show("there is no document \(name)") }
        show("\(name): \(document.text)")
        follow(document)
    }

    private func follow(_ document: TextDocument) {
        document.textDidLoad = { [unowned document] in show("← \(document.localizedName): \($0)") }
        self.document = document
        state = []
        showState()
    }

    private func showState() {
        guard let document else { return }
        let former = state
        state = document.documentState
        if state.contains(.closed) {
            show("\(document.localizedName) is closed")
            self.document = nil
        } else if state.contains(.inConflict) != former.contains(.inConflict) {
            show(
                "\(document.localizedName) is \(state.contains(.inConflict) ? "in conflict" : "not in conflict any more")"
            )
        }
    }

    private func showVersions(of document: TextDocument) throws {
        versions = DocumentFiles.versions(of: document.fileURL)
        for (number, version) in versions.enumerated() {
            show("\(number + 1): \(try String(contentsOf: version.url, encoding: .utf8))")
        }
    }

    private func keep(_ number: String, of document: TextDocument) async throws {
        guard let number = Int(number), versions.indices.contains(number - 1) else { return show(Self.usage) }
        try await DocumentFiles.resolveConflict(of: document.fileURL, keeping: versions[number - 1])
        versions = []
    }

    private func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".txt") }
}

/// Prints a line at once.
func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
