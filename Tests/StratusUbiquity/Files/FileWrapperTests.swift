import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct FileWrapperTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func filesDirectoriesAndLinksAreWrittenAndRead() throws {
        let link = FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: "/nowhere"))
        let inner = FileWrapper(directoryWithFileWrappers: [
            "deep.txt": FileWrapper(regularFileWithContents: Data("deep".utf8))
        ])
        let root = FileWrapper(directoryWithFileWrappers: ["link": link, "inner": inner])
        #expect(root.addRegularFile(withContents: Data("one".utf8), preferredFilename: "a.txt") == "a.txt")
        let url = try directory.file("drawing.package")
        try root.write(to: url, options: [.atomic, .withNameUpdating], originalContentsURL: nil)

        let read = try FileWrapper(url: url)
        #expect(read.isDirectory && !read.isRegularFile && !read.isSymbolicLink)
        #expect(read.filename == "drawing.package")
        #expect(read.fileWrappers.map { Set($0.keys) } == ["link", "inner", "a.txt"])
        #expect(read.fileWrappers?["a.txt"]?.regularFileContents == Data("one".utf8))
        #expect(read.fileWrappers?["inner"]?.fileWrappers?["deep.txt"]?.regularFileContents == Data("deep".utf8))
        #expect(read.fileWrappers?["link"]?.symbolicLinkDestinationURL?.path == "/nowhere")
        // A directory with an extension that a program wrote is one item to the user.
        #expect(FilePackage.isPackage(url.path))
        #expect(root.filename == "drawing.package")
    }

    @Test func childrenOfOneNameHaveKeysOfTheirOwn() {
        let root = FileWrapper(directoryWithFileWrappers: [:])
        let keys = (0..<3).map { root.addRegularFile(withContents: Data([$0]), preferredFilename: "a") }
        #expect(Set(keys).count == 3 && keys[0] == "a")
        let second = root.fileWrappers?[keys[1]]
        #expect(second.flatMap(root.keyForChildFileWrapper) == keys[1])
        if let second { root.removeFileWrapper(second) }
        #expect(root.fileWrappers?.count == 2)
    }

    @Test func filesThatDidNotChangeAreNotWrittenAgain() throws {
        let url = try directory.file("p.package")
        let root = FileWrapper(directoryWithFileWrappers: [:])
        root.addRegularFile(withContents: Data("same".utf8), preferredFilename: "same")
        let key = root.addRegularFile(withContents: Data("old".utf8), preferredFilename: "other")
        let old = root.fileWrappers?[key]
        try root.write(to: url, options: [.atomic, .withNameUpdating], originalContentsURL: nil)
        let before = FileStamp(url.path + "/same")
        if let old { root.removeFileWrapper(old) }
        root.addRegularFile(withContents: Data("new".utf8), preferredFilename: "other")
        try root.write(to: url, options: [.atomic, .withNameUpdating], originalContentsURL: url)
        #expect(FileStamp(url.path + "/same") == before)
        #expect(try String(contentsOfFile: url.path + "/other", encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["p.package"])
    }

    @Test func matchingSeesChangesFromOutside() throws {
        let url = try directory.file("p.package")
        let root = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper(regularFileWithContents: Data("1".utf8))])
        #expect(!root.matchesContents(of: url))
        try root.write(to: url, options: .withNameUpdating, originalContentsURL: nil)
        #expect(root.matchesContents(of: url))
        try Data("22".utf8).write(to: url.appendingPathComponent("a"))
        #expect(!root.matchesContents(of: url))
        try root.read(from: url)
        #expect(root.matchesContents(of: url))
        try Data().write(to: url.appendingPathComponent("b"))
        #expect(!root.matchesContents(of: url))
        #expect(root.fileWrappers?["a"]?.regularFileContents == Data("22".utf8))
    }

    @Test func aFailedAtomicWriteLeavesTheOldContents() throws {
        let url = try directory.file("p.package")
        try FileWrapper(directoryWithFileWrappers: ["a": FileWrapper(regularFileWithContents: Data("1".utf8))])
            .write(to: url, options: .atomic, originalContentsURL: nil)
        let bad = FileWrapper(directoryWithFileWrappers: ["../a": FileWrapper(regularFileWithContents: Data())])
        #expect(throws: CocoaError.self) { try bad.write(to: url, options: .atomic, originalContentsURL: nil) }
        #expect(try String(contentsOfFile: url.path + "/a", encoding: .utf8) == "1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["p.package"])
    }

    @Test func serializedWrappersAreTheSame() throws {
        let inner = FileWrapper(directoryWithFileWrappers: ["b": FileWrapper(regularFileWithContents: Data([1, 2]))])
        let root = FileWrapper(directoryWithFileWrappers: ["inner": inner])
        root.preferredFilename = "name"
        let data = try #require(root.serializedRepresentation)
        let copy = try #require(FileWrapper(serializedRepresentation: data))
        #expect(copy.preferredFilename == "name")
        #expect(copy.fileWrappers?["inner"]?.fileWrappers?["b"]?.regularFileContents == Data([1, 2]))
        #expect(FileWrapper(serializedRepresentation: Data("nothing".utf8)) == nil)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
        let unarchived = try NSKeyedUnarchiver.unarchivedObject(ofClass: FileWrapper.self, from: archive)
        #expect(unarchived?.fileWrappers?["inner"]?.isDirectory == true)
    }

    @Test(arguments: ["../up", "..", "", "a/b"]) func namesThatLeadElsewhereAreRefused(_ name: String) throws {
        let list: [String: Any] = ["children": [name: ["contents": Data()]]]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(FileWrapper(serializedRepresentation: data) == nil)
    }

    @Test func serializedWrappersHaveALimitedDepth() throws {
        func nested(_ levels: Int) -> FileWrapper {
            (1..<levels).reduce(FileWrapper(regularFileWithContents: Data([1]))) { inner, _ in
                FileWrapper(directoryWithFileWrappers: ["a": inner])
            }
        }
        let data = try #require(nested(FileWrapperSerialization.depth).serializedRepresentation)
        var wrapper = try #require(FileWrapper(serializedRepresentation: data))
        while let inner = wrapper.isDirectory ? wrapper.fileWrappers?["a"] : nil { wrapper = inner }
        #expect(wrapper.regularFileContents == Data([1]))
        #expect(nested(FileWrapperSerialization.depth + 1).serializedRepresentation == nil)
        // What somebody else wrote.
        var list: [String: Any] = ["contents": Data()]
        for _ in 0..<FileWrapperSerialization.depth { list = ["children": ["a": list]] }
        let deeper = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(FileWrapper(serializedRepresentation: deeper) == nil)
    }
}
