import StratusCloudService
import StratusTelemetry

/// What a server does by itself now and then: it removes the bytes of assets that nothing needs any more, and forgets
/// deletions that change feeds need not tell any more.
struct Housekeeping: Sendable {
    private let recurrences: [Recurrence]

    /// - Parameter clock: measures the time between.
    init(service: CloudService, figures: FigureKeeper, logger: Logger, clock: any Clock<Duration>) {
        recurrences = [
            // At the start, too: a crash may have left something.
            Recurrence(clock, after: .zero, every: ServerLimits.assetCollectionInterval) {
                // Leaves assets to be collected.
                await Self.purgeFiles(service, logger)
                await Self.collectAssets(service, logger)
            },
            // Some time after the start, when clients have reconnected.
            Recurrence(clock, after: ServerLimits.firstHousekeeping, every: ServerLimits.housekeepingInterval) {
                await Self.purgeTombstones(service, logger)
            },
            Recurrence(clock, after: ServerLimits.figureInterval, every: ServerLimits.figureInterval) {
                await figures.keep()
            },
            // What waits for a mail server that was not there.
            Recurrence(clock, after: ServerLimits.mailInterval, every: ServerLimits.mailInterval) {
                await service.deliverMail()
            },
        ]
    }

    func start() { for recurrence in recurrences { recurrence.start() } }

    /// Ends it, when what is being done is done.
    func stop() async { for recurrence in recurrences { await recurrence.stop() } }

    // What fails is taken up by the next time.

    private static func collectAssets(_ service: CloudService, _ logger: Logger) async {
        do {
            let removed = try await service.collectAssets()
            if removed > 0 { logger.info("removed unused assets", ["files": .integer(Int64(removed))]) }
        } catch {
            logger.error("unused assets could not be removed", ["error": .string("\(error)")])
        }
    }

    private static func purgeFiles(_ service: CloudService, _ logger: Logger) async {
        do {
            let purged = try await service.purgeFiles()
            if purged > 0 { logger.info("deleted files for good", ["items": .integer(Int64(purged))]) }
        } catch {
            logger.error("recently deleted files could not be purged", ["error": .string("\(error)")])
        }
    }

    private static func purgeTombstones(_ service: CloudService, _ logger: Logger) async {
        do {
            let purged = try await service.purgeTombstones()
            logger.info("housekeeping", ["purgedTombstones": .integer(Int64(purged))])
        } catch {
            logger.warning("housekeeping failed", ["error": .string("\(error)")])
        }
    }
}
