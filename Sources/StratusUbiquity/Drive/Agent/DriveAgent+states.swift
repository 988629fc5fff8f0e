import Foundation
import Glibc

/// The states of items in their attributes, which programs see.
extension DriveAgent {
    /// Writes the states of items to their attributes, for apps, and notifies presenters of changes.
    func showStates() throws {
        let state = try state
        try checkpoints(.moving, "")
        let failed = Set(failures.keys)
        if let touched = state.touched {
            for id in touched.union(failed).union(shownFailures).sorted() {
                if let entry = try state[id] { try showState(of: entry) }
            }
        } else {
            try state.forEach(showState)
        }
        state.forgetTouched()
        shownFailures = failed
    }

    private func showState(of entry: DriveEntry) throws {
        guard let local = entry.local, local.shape.kind != .link else { return }
        let names = try names(of: entry)
        let directory = ([folder.path] + names.dropLast()).joined(separator: "/")
        let path = directory + "/" + local.shape.place.name
        let former = UbiquityState.of(path)
        let shown = shownState(of: entry, former)
        guard shown != former, let name = names.last else { return }
        do {
            let set = { try shown.set(at: directory + "/" + name) }
            if let watch { try watch.changeAttributes(of: name, in: directory, set) } else { try set() }
        } catch {
            // File systems without extended attributes keep no states, and items that went are seen by the next scan.
            return
        }
        noteChange(of: local, name, in: directory)
        let keys = shown.changes(from: former)
        if !keys.isEmpty { UbiquityState.notify(keys, at: path) }
    }

    /// Lets a directory be scanned if somebody has changed the attributes of a file in it, too, which was not reported.
    private func noteChange(of local: DriveEntry.Local, _ name: String, in directory: String) {
        var status = stat()
        guard local.shape.kind == .file, let watch, lstat(directory + "/" + name, &status) == 0,
            status.stamp != local.stamp || status.isExecutable != local.shape.isExecutable
        else { return }
        watch.note(changeIn: directory)
    }

    private func shownState(of entry: DriveEntry, _ former: UbiquityState) -> UbiquityState {
        var shown = former
        let isPlaceholder = entry.local?.isPlaceholder == true
        shown.isUploaded = entry.isUploaded
        shown.isShared = entry.remote?.isShared == true
        shown.isDownloadRequested = isPlaceholder && entry.isKeptHere
        shown.download = isPlaceholder ? .notDownloaded : entry.synced != nil && entry.isNewer ? .downloaded : .current
        shown.size = isPlaceholder ? entry.remote?.size : nil
        shown.hasConflict = entry.hasConflict ? true : nil
        let formerFailure = former.uploadFailure ?? former.downloadFailure
        let failure = failures[entry.id].map { DriveError($0).state(after: formerFailure) }
        (shown.uploadFailure, shown.downloadFailure) = entry.isUploaded ? (nil, failure) : (failure, nil)
        return shown
    }
}

extension DriveError {
    /// The error as an item's attributes have it. The same error with another text, as of the next attempt, is not
    /// shown again.
    fileprivate func state(after former: UbiquityState.Failure?) -> UbiquityState.Failure {
        let failure = UbiquityState.Failure(domain: NSCocoaErrorDomain, code: code.cocoaCode.rawValue, text: text)
        if let former, (former.domain, former.code) == (failure.domain, failure.code) { return former }
        return failure
    }
}

extension UbiquityState {
    /// The attributes that an app sees differently from a former state.
    fileprivate func changes(from former: UbiquityState) -> Set<URLResourceKey> {
        var keys: Set<URLResourceKey> = []
        if isUploaded != former.isUploaded { keys.insert(.ubiquitousItemIsUploadedKey) }
        if isShared != former.isShared { keys.insert(.ubiquitousItemIsSharedKey) }
        if isDownloadRequested != former.isDownloadRequested { keys.insert(.ubiquitousItemDownloadRequestedKey) }
        if hasConflict != former.hasConflict { keys.insert(.ubiquitousItemHasUnresolvedConflictsKey) }
        if download != former.download { keys.insert(.ubiquitousItemDownloadingStatusKey) }
        if uploadFailure != former.uploadFailure { keys.insert(.ubiquitousItemUploadingErrorKey) }
        if downloadFailure != former.downloadFailure { keys.insert(.ubiquitousItemDownloadingErrorKey) }
        return keys
    }
}
