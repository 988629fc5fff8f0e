import Foundation

// Everything here runs on the query's worker queue, but for what is delivered.
extension NSMetadataQuery {
    /// The items that a scan found, and their differences from the results.
    private struct Update: @unchecked Sendable {
        // `@unchecked Sendable`: made on the worker queue, and used once where it is delivered.
        var byPath: [String: NSMetadataItem] = [:]
        var attributes: [String: [String: Any]] = [:]
        var added: [NSMetadataItem] = []
        var changed: [NSMetadataItem] = []
        var removed: [NSMetadataItem] = []
        var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
    }

    func gather(_ run: Int) {
        watch?.stop()
        isDelivering = true
        needsScan = false
        watch = DirectoryWatch(queue: worker) { [weak self] in self?.scheduleScan(run) }
        let update = scan(run)
        deliver(run) { query in
            query.take(update)
            if !update.isEmpty {
                query.post(
                    .NSMetadataQueryGatheringProgress, [NSMetadataQueryUpdateAddedItemsKey: update.added])
            }
            query.state.withLock { $0.isGathering = false }
            query.post(.NSMetadataQueryDidFinishGathering)
            query.worker.async { query.finishDelivery(run) }
        }
    }

    private func scheduleScan(_ run: Int) {
        guard !isScanScheduled else { return }
        isScanScheduled = true
        worker.asyncAfter(deadline: .now() + notificationBatchingInterval) { [weak self] in
            self?.isScanScheduled = false
            self?.rescan(run)
        }
    }

    /// Finds changes, and posts a notification about them.
    func rescan(_ run: Int) {
        guard state.withLock({ $0.run == run && $0.disabled == 0 }) else { return }
        guard !isDelivering else {
            needsScan = true
            return
        }
        let update = scan(run)
        guard !update.isEmpty else { return }
        isDelivering = true
        deliver(run) { query in
            // Updates may have been disabled meanwhile. Enabling them begins another scan.
            if query.state.withLock({ $0.disabled == 0 }) {
                query.take(update)
                query.post(
                    .NSMetadataQueryDidUpdate,
                    [
                        NSMetadataQueryUpdateAddedItemsKey: update.added,
                        NSMetadataQueryUpdateChangedItemsKey: update.changed,
                        NSMetadataQueryUpdateRemovedItemsKey: update.removed,
                    ])
            }
            query.worker.async { query.finishDelivery(run) }
        }
    }

    private func finishDelivery(_ run: Int) {
        guard state.withLock({ $0.run == run }) else { return }
        isDelivering = false
        if needsScan {
            needsScan = false
            rescan(run)
        }
    }

    /// Replaces the results by those of a scan.
    private func take(_ update: Update) {
        for (path, item) in update.byPath { update.attributes[path].map(item.replaceAttributes) }
        let results = sorted(update.byPath)
        state.withLock { state in
            state.byPath = update.byPath
            state.results = results
        }
    }

    private func scan(_ run: Int) -> Update {
        let (predicate, scopes, known) = state.withLock { state in
            (state.predicate, state.scopes.compactMap { $0 as? String }, state.byPath)
        }
        var update = Update()
        guard let predicate, state.withLock({ $0.run == run }) else { return update }
        var scan: MetadataScan
        repeat {
            scan = MetadataScan(
                account: UbiquityAccount.current(), documents: scopes.contains(NSMetadataQueryUbiquitousDocumentsScope),
                data: scopes.contains(NSMetadataQueryUbiquitousDataScope))
            // Something may have happened in a directory before it was watched.
        } while watch?.follow(scan.directories) == true

        for path in scan.items {
            guard let attributes = MetadataAttributes.of(path) else { continue }
            let found = NSMetadataItem(attributes: attributes)
            guard predicate.evaluate(with: found) else { continue }
            update.attributes[path] = attributes
            update.byPath[path] = known[path] ?? found
            guard let item = known[path] else {
                update.added.append(found)
                continue
            }
            let before = item.values(forAttributes: item.attributes) ?? [:]
            if !MetadataAttributes.areEqual(before, attributes) { update.changed.append(item) }
        }
        update.removed = known.filter { update.byPath[$0.key] == nil }.map(\.value)
        return update
    }

    private func sorted(_ items: [String: NSMetadataItem]) -> [NSMetadataItem] {
        let descriptors = sortDescriptors
        // By path where nothing else decides, so that the order does not change by itself.
        return items.sorted { $0.key < $1.key }.map(\.value).sorted { one, other in
            for descriptor in descriptors {
                switch descriptor.compare(one, to: other) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
    }

    /// Runs a block on the queue of notifications, unless the query was stopped or started again by then.
    func deliver(_ run: Int, _ body: @escaping @Sendable (NSMetadataQuery) -> Void) {
        let run: @Sendable () -> Void = { [self] in
            if state.withLock({ $0.run == run }) { body(self) }
        }
        (operationQueue ?? .main).addOperation(run)
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
