import Foundation
import StratusCloudModel

/// Copies of contents in conflict whose zone was deleted on the server. Perhaps no other device has these contents.
extension DriveAgent {
    /// Puts such copies beside their items as files, which are synchronized like others.
    func keepOrphanedCopies() async throws {
        let state = try state
        for id in try state.itemsWithCopies() {
            guard let entry = try state[id], entry.hasOrphanedCopies else { continue }
            do {
                try await keepCopies(of: entry)
            } catch let error where DriveError.concernsItem(error) {
                failures[id] = error
            }
        }
    }

    private func keepCopies(of entry: DriveEntry) async throws {
        for copy in try copies(of: entry) {
            let content = try versions.contents(of: copy).path
            // The content has its place already if an earlier process ended before it removed the copy.
            if let local = entry.local, !copy.description.isResolved, FileManager.default.fileExists(atPath: content) {
                try await keep(content, beside: local)
            }
            try versions.delete(copy)
        }
        try state.change(entry.id) { $0.conflictsAt = nil }
    }

    private func keep(_ content: String, beside local: DriveEntry.Local) async throws {
        let place = local.shape.place
        let parent = try names(of: place.folder)
        let directory = try folder.directory(parent)
        for number in 2...FileLimits.numbersTried {
            let name = FileName.numbered(place.name, number)
            guard try directory.status(name) == nil,
                try state.localItem(at: DrivePlace(folder: place.folder, name: name)) == nil
            else { continue }
            return try await coordinated(DriveChange(names: parent + [name], options: [])) {
                try directory.place(content, at: name)
                try directory.synchronize()
            }
        }
        throw DriveFailure.changed(place.name)
    }
}
