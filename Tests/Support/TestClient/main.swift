import CloudKit
import Glibc

// A program that uses the SDK, for tests that need a process of their own.
//
//     StratusTestClient account
//     StratusTestClient token ARCHIVE-IN-BASE64
//     StratusTestClient use URL CONTAINER API-TOKEN WEB-AUTH-TOKEN
//     StratusTestClient save RECORD FIELD=TEXT…
//     StratusTestClient asset URL CONTAINER API-TOKEN WEB-AUTH-TOKEN STATE-DIRECTORY FILE
//     StratusTestClient long-lived URL CONTAINER API-TOKEN WEB-AUTH-TOKEN STATE-DIRECTORY RECORD TITLE FILE
let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("account", 1): await tellAccount()
case ("token", 2): readToken(arguments[1])
case ("use", 5): await tellAccounts(Array(arguments.dropFirst()))
case ("save", 3...): await save(named: arguments[1], fields: Array(arguments.dropFirst(2)))
case ("asset", 7): await moveAsset(Array(arguments.dropFirst()))
case ("long-lived", 9): saveAndWait(Array(arguments.dropFirst()))
default: exit(3)
}

/// Writes a line, at once.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
}

/// Reads a change token, before anything else of the SDK is used, as programs do that keep theirs.
func readToken(_ archive: String) {
    do {
        let token = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: CKServerChangeToken.self, from: Data(base64Encoded: archive) ?? Data())
        say(token.map { "read \($0)" } ?? "nothing")
    } catch {
        say("failed: \(error)")
    }
}

/// Says what the default container is, and who is signed in.
func tellAccount() async {
    let container = CKContainer.default()
    do {
        var user = "-"
        if try await container.accountStatus() == .available {
            user = try await container.userRecordID().recordName
        }
        say("\(container.containerIdentifier ?? "-") \(user)")
    } catch {
        say("failed: \(error.localizedDescription)")
    }
}

/// Says them as they are found, with a configuration of the program's own, and without it again, and what is posted.
func tellAccounts(_ arguments: [String]) async {
    await tellAccount()
    let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) { _ in
        say("changed")
    }
    StratusConfiguration.use(
        StratusConfiguration(
            url: arguments[0], containers: [.init(arguments[1])], apiToken: arguments[2], webAuthToken: arguments[3]))
    await tellAccount()
    StratusConfiguration.use(nil)
    await tellAccount()
    NotificationCenter.default.removeObserver(observer)
}

/// Saves a note in the public database of the default container.
func save(named name: String, fields: [String]) async {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
    for field in fields {
        let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { exit(3) }
        record[parts[0]] = parts[1]
    }
    do {
        say("saved \(try await CKContainer.default().publicCloudDatabase.save(record).recordID.recordName)")
    } catch {
        say("failed: \(error.localizedDescription)")
    }
}

/// The container that the first five of some arguments name.
func container(_ arguments: [String]) -> CKContainer {
    CKContainer(
        identifier: arguments[1],
        configuration: StratusConfiguration(
            url: arguments[0], apiToken: arguments[2], webAuthToken: arguments[3], stateDirectory: arguments[4],
            keyStorage: .files(directory: arguments[4] + "/keys")))
}

/// Saves a record with a file and fetches it, and says by how many KiB the most resident memory grew each time.
func moveAsset(_ arguments: [String]) async {
    let database = container(arguments).privateCloudDatabase
    func save(_ name: String, _ file: URL) async throws -> CKRecord.ID {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
        record["file"] = CKAsset(fileURL: file)
        return try await database.save(record).recordID
    }
    do {
        // Whatever is made once is made now.
        let small = URL(fileURLWithPath: arguments[5] + ".small")
        try Data(repeating: 1, count: 5_000_000).write(to: small)
        _ = try await database.record(for: try await save("small", small))
        var before = try resetPeakMemory()
        let recordID = try await save("large", URL(fileURLWithPath: arguments[5]))
        say("saved \(try peakMemory() - before)")
        before = try resetPeakMemory()
        let record = try await database.record(for: recordID)
        say("fetched \(try peakMemory() - before)")
        say("file \((record["file"] as? CKAsset)?.fileURL?.path ?? "")")
    } catch {
        say("failed \(error.localizedDescription)")
        exit(1)
    }
}

/// Forgets what the most resident memory was, and gives what is resident now, in KiB.
func resetPeakMemory() throws -> Int {
    // 5 resets the peak: proc(5).
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    return try peakMemory()
}

/// The most memory that was resident, in KiB.
func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
}

/// Adds a long-lived operation that saves a record with an asset, says what happens, and waits to be killed: also in the
/// operation's last block.
func saveAndWait(_ arguments: [String]) -> Never {
    let container = container(arguments)
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: arguments[5]))
    record["title"] = arguments[6]
    record["picture"] = CKAsset(fileURL: URL(fileURLWithPath: arguments[7]))
    let operation = CKModifyRecordsOperation(recordsToSave: [record])
    operation.configuration.isLongLived = true
    operation.savePolicy = .changedKeys
    operation.longLivedOperationWasPersistedBlock = { say("persisted \(operation.operationID)") }
    operation.modifyRecordsResultBlock = { result in
        say("result \(result)")
        while true { pause() }
    }
    container.privateCloudDatabase.add(operation)
    while true { pause() }
}
