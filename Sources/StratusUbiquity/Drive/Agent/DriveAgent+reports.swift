import Foundation
import StratusCloudKit

/// The engine's reports about the server.
extension DriveAgent {
    /// Notes what was fetched up to now, so that a list of any length is in memory only in part.
    func takePage() {
        // At other times a comparison may be at work, which goes by what the server had before it.
        guard isFetching else { return }
        // Reports that cannot be noted are given back, and the agent finds that out after it has fetched.
        try? takeReports()
    }

    func takeReports() throws {
        let reports = cloud.takeReports()
        // Reports about another person's files are not kept.
        guard !reports.isEmpty, !isSignedOut else { return }
        let state = try state
        do { try note(reports, in: state) } catch {
            cloud.giveBack(reports)
            throw error
        }
    }

    private func note(_ reports: [DriveCloud.Report], in state: DriveState) throws {
        var serialization: Data?
        let formerlyListed = listed
        do {
            try state.transaction {
                reading: for report in reports {
                    switch report {
                    case .records(let records, let gone):
                        for record in records { try take(record) }
                        for id in gone { try state.change(id) { $0.remote = nil } }
                    case .zoneDeleted:
                        listed = []
                        try state.set("listing", to: Data([1]))
                    case .fetched: try forgetUnlisted()
                    case .state(let data): serialization = data
                    case .signedIn(let user): try state.set("user", to: Data(user.utf8))
                    case .signedOut:
                        // The reports that follow are about another person's files.
                        isSignedOut = true
                        break reading
                    }
                }
                // In the same transaction as what was fetched before it.
                if let serialization { try state.set("engine", to: serialization) }
            }
        } catch {
            listed = formerlyListed
            throw error
        }
    }

    /// Notes what the server has of an item.
    func take(_ record: CKRecord) throws {
        let id = record.recordID.recordName
        listed?.insert(id)
        guard let remote = DriveRecords.remote(record) else { return }
        // The server does not change the kind of an item.
        let known = try state[id]?.remote?.shape.kind ?? state[id]?.synced?.shape.kind
        guard known == nil || known == remote.shape.kind else { return }
        try state.change(id) { entry in
            entry.remote = remote
            if entry.synced?.checksum == remote.checksum { entry.synced?.version = remote.version }
        }
    }

    /// After a zone was listed anew, what was not listed is gone. If nothing was listed, the zone is gone as a whole, and
    /// not because somebody deleted the files: they are sent to a new one.
    private func forgetUnlisted() throws {
        guard let listed else { return }
        self.listed = nil
        let state = try state
        try state.set("listing", to: Data())
        try state.forEach { entry in
            guard !listed.contains(entry.id) else { return }
            try state.change(entry.id) { entry in
                entry.remote = nil
                if listed.isEmpty { entry.synced = nil }
            }
        }
    }
}
