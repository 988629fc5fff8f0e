import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// Brings what others count into the registry, once for each look at the metrics page.
struct FigureSampler: Sendable {
    let registry: MetricsRegistry
    let store: any CloudStore
    let service: CloudService
    /// Bytes of a request body.
    let bodyLimit: Int
    let fairShare: FairShare

    /// Blocks on the file system.
    func sample(listeners: [(name: String, statistics: HTTPServerStatistics)]) {
        sampleProcess()
        sampleStore(store.statistics())
        sampleService(service.statistics())
        let builds = service.indexBuildFigures
        set(
            "stratus_index_build_records", "Records indexed by index builds since the start.",
            builds.indexedRecords)
        set("stratus_index_builds", "Environments whose indexes are being built.", builds.builds)
        samplePush(service.pushStatistics())
        if service.sendsMail { sampleMail(service.mailStatistics()) }
        for listener in listeners { sample(listener.statistics, of: listener.name) }
    }

    private func sampleProcess() {
        let figures = ProcessFigures.current()
        set("process_resident_memory_bytes", "Memory in use.", figures.residentMemory)
        set("process_open_fds", "Open file descriptors.", figures.openFiles)
        set("process_cpu_seconds", "Processor time since the start.", figures.processorTime)
    }

    private func sampleStore(_ statistics: StoreStatistics) {
        set("stratus_store_read_transactions", "Read transactions since the start.", statistics.readTransactions)
        set("stratus_store_write_transactions", "Write transactions since the start.", statistics.writeTransactions)
        set("stratus_store_commits", "Syncs since the start; one makes many transactions durable.", statistics.commits)
        var sum: UInt64 = 0
        for (index, count) in statistics.commitSizes.enumerated() {
            sum += count
            let bounds = StoreStatistics.commitSizeBounds
            let bound = index < bounds.count ? String(bounds[index]) : "+Inf"
            set(
                "stratus_store_commit_size", "Commits since the start with at most so many transactions.", sum,
                ["size": bound])
        }
        for (file, size) in statistics.fileSizes {
            set("stratus_store_file_bytes", "Size of the store's files.", size, ["file": file])
        }
    }

    private func sampleService(_ statistics: ServiceStatistics) {
        for (subject, count) in statistics.throttled {
            set(
                "stratus_throttled_requests", "Requests refused by rate limits since the start.", count,
                ["by": subject.rawValue])
        }
        set(
            "stratus_held_requests",
            "Requests since the start that waited because their client had the maximum of running requests.",
            fairShare.heldRequests)
        for (scope, count) in statistics.quotaRefusals where scope != .shared {
            set(
                "stratus_quota_refusals", "Records and uploads refused for a quota since the start.", count,
                ["database": scope.rawValue])
        }
        set(
            "stratus_damaged_assets",
            "Reads of damaged assets since the start.",
            statistics.damagedAssets)
        sampleLimits(service.configuration)
    }

    /// What the operator set; what is without limit is left out.
    private func sampleLimits(_ configuration: ServiceConfiguration) {
        let (rates, quotas) = (configuration.rates, configuration.quotas)
        for (subject, rate) in [
            ("address", rates.perAddress), ("token", rates.perToken), ("user", rates.perUser),
            ("people", rates.people),
        ] {
            guard let rate else { continue }
            set(
                "stratus_limit_requests_per_second", "Maximum requests, or people looked up, per second.",
                Double(rate.count) * 1_000 / Double(rate.span), ["by": subject])
        }
        for (database, kind, bytes) in [
            ("public", "records", quotas.publicRecords), ("public", "assets", quotas.publicAssets),
            ("private", "records", quotas.privateRecords), ("private", "assets", quotas.privateAssets),
        ] {
            guard let bytes else { continue }
            set(
                "stratus_limit_quota_bytes", "Maximum bytes of one database.", bytes,
                ["database": database, "kind": kind])
        }
        set(
            "stratus_limit_operations", "Maximum operations in one request.", configuration.operationsPerRequest)
        set(
            "stratus_limit_client_concurrency",
            "Maximum requests of one client that run at the same time while others wait.",
            fairShare.limit)
        set("stratus_limit_body_bytes", "Maximum bytes of a request body.", bodyLimit)
        let assets = service.assetLimits
        set("stratus_limit_asset_bytes", "Maximum bytes of an asset.", assets.assetSize)
        set(
            "stratus_limit_unsaved_uploads", "Maximum unsaved uploads of one account.",
            assets.pendingUploads)
        set(
            "stratus_limit_unsaved_upload_bytes", "Maximum bytes of unsaved uploads of one account.",
            assets.pendingBytes)
    }

    private func samplePush(_ statistics: PushStatistics) {
        set("stratus_push_listeners", "Long polls and event streams open now.", statistics.listeners)
        set("stratus_push_devices", "Devices whose notifications are kept in memory.", statistics.devices)
        set("stratus_push_delivered", "Notifications handed out since the start.", statistics.delivered)
    }

    private func sampleMail(_ statistics: MailStatistics) {
        set("stratus_mail_queued", "Invitations waiting to be mailed.", statistics.queued)
        for (outcome, count) in [
            ("delivered", statistics.delivered), ("refused", statistics.refused), ("expired", statistics.expired),
            ("withdrawn", statistics.withdrawn), ("postponed", statistics.postponed),
        ] {
            set(
                "stratus_mail_outcomes", "Outcomes of invitations by e-mail since the start.", count,
                ["outcome": outcome])
        }
    }

    private func sample(_ statistics: HTTPServerStatistics, of listener: String) {
        let labels = ["listener": listener]
        set("stratus_connections_open", "Connections open now.", statistics.openConnections, labels)
        set("stratus_connections_accepted", "Connections since the start.", statistics.acceptedConnections, labels)
        for (reason, count) in [
            ("connection limit", statistics.refusedAtConnectionLimit),
            ("address limit", statistics.refusedAtAddressLimit),
            ("no file descriptor", statistics.refusedWithoutDescriptor),
        ] {
            set("stratus_connections_refused", "Connections refused.", count, ["listener": listener, "reason": reason])
        }
        set(
            "stratus_request_body_bytes", "Request bodies in memory now, those of 4 KiB or less aside.",
            statistics.bufferedBodyBytes, labels)
        set(
            "stratus_waiting_answer_bytes",
            "Answers in memory now that clients have not taken yet, those of 4 KiB or less aside.",
            statistics.waitingAnswerBytes, labels)
        set(
            "stratus_connections_cut", "Connections closed because their clients were slow to take large answers.",
            statistics.cutAnswers, labels)
        for (reason, count) in [
            ("malformed", statistics.malformedRequests), ("body too large", statistics.oversizedBodies),
            ("no room for body", statistics.refusedBodies),
            ("slow head", statistics.headTimeouts), ("slow body", statistics.bodyTimeouts),
            ("client gone", statistics.abandonedRequests),
        ] {
            set(
                "stratus_requests_dropped", "Requests that got no answer from a route.", count,
                ["listener": listener, "reason": reason])
        }
    }

    private func set(
        _ name: String, _ help: String, _ value: some BinaryInteger, _ labels: [String: String] = [:]
    ) {
        set(name, help, Double(value), labels)
    }

    private func set(_ name: String, _ help: String, _ value: Double, _ labels: [String: String] = [:]) {
        registry.gauge(name, help: help, labels: labels).set(value)
    }
}
