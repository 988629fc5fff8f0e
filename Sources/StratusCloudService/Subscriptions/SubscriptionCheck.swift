import StratusCloudModel

/// Whether a subscription makes sense, and where it will stand in the index.
struct SubscriptionCheck {
    let scope: DatabaseScope
    let caller: Caller
    let schema: Schema

    /// - Throws: `badRequest` for what cannot be watched in the database, `accessDenied` without the right to read the
    ///   type, `notFound` for a type that does not exist in production.
    func prepared(_ input: SubscriptionInput, named name: String) throws(CloudError) -> StoredSubscription {
        try checkName(name)
        try checkInfo(input.notificationInfo)
        var filters: [ResolvedFilter] = []
        let kind: Subscription.Kind
        switch input.kind {
        case .query(let query):
            guard scope != .shared else { throw wrongDatabase("query", "public or private") }
            filters = try check(query)
            kind = .query(try normalized(query))
        case .zone(let zone, let type):
            guard scope == .private else { throw wrongDatabase("zone", "private") }
            guard !zone.isDefault else {
                throw CloudError(
                    .badRequest, "subscriptionType zone needs a custom zone, not '\(zone.zoneName)'")
            }
            if let type { try Names.checkRecordType(type) }
            kind = .zone(try DatabaseAddress(scope, zone, caller).zoneID, recordType: type)
        case .database(let type):
            guard scope != .public else { throw wrongDatabase("database", "private or shared") }
            if let type { try Names.checkRecordType(type) }
            kind = .database(recordType: type)
        }
        let subscription = Subscription(
            subscriptionID: name, kind: kind, notificationInfo: input.notificationInfo)
        // What others share with the user lies in their partitions, and is watched from there.
        let places = scope == .shared ? [] : WatchedPlace.places(of: kind, filters)
        let stored = StoredSubscription(subscription, places: places)
        let size = stored.stored.count
        guard size <= ServiceLimits.subscriptionSize else {
            throw CloudError(
                .badRequest,
                "subscription '\(name)' has \(size) bytes, which is more than the maximum of "
                    + "\(ServiceLimits.subscriptionSize)")
        }
        return stored
    }

    private func check(_ query: QuerySubscription) throws(CloudError) -> [ResolvedFilter] {
        let name = query.query.recordType
        try Names.checkRecordType(name)
        guard !query.firesOn.isEmpty else {
            throw CloudError(.badRequest, "firesOn must name at least one of create, update and delete")
        }
        let type = schema.recordTypes[name]
        if type == nil, caller.context.environment == .production || !query.query.filters.isEmpty {
            throw CloudError(.notFound, "Did not find record type: \(name)")
        }
        guard
            [nil, caller.userRecordName].contains(where: {
                Authorization.permits(.read, in: scope, name, of: schema, creator: $0, caller)
            })
        else { throw CloudError(.accessDenied, "READ operation not permitted") }
        guard let type else { return [] }
        return try QueryResolution.resolveFilters(query.query.filters, in: type)
    }

    /// Without what means nothing, and with the zone's owner: the same for what watches the same.
    private func normalized(_ query: QuerySubscription) throws(CloudError) -> QuerySubscription {
        var query = query
        query.query.sorts = []
        if let zone = query.zoneID { query.zoneID = try DatabaseAddress(scope, zone, caller).zoneID }
        return query
    }

    private func checkName(_ name: String) throws(CloudError) {
        guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CloudError(.badRequest, "subscriptionID must be a text without control characters")
        }
        guard name.utf8.count <= ModelLimits.nameLength else {
            throw CloudError(
                .badRequest,
                "subscriptionID has \(name.utf8.count) bytes, which is more than the maximum of \(ModelLimits.nameLength)"
            )
        }
    }

    private func checkInfo(_ info: NotificationInfo?) throws(CloudError) {
        guard let info else { return }
        guard info.desiredKeys.count <= ModelLimits.fieldsPerNotification else {
            throw CloudError(
                .badRequest,
                "notificationInfo names \(info.desiredKeys.count) additional fields, which is more than the maximum of "
                    + "\(ModelLimits.fieldsPerNotification)")
        }
        for (noun, text) in [("alert", info.body), ("title", info.title), ("subtitle", info.subtitle)]
        where text.localizationArguments.count > ModelLimits.argumentsPerText {
            throw CloudError(
                .badRequest,
                "notificationInfo has \(text.localizationArguments.count) arguments for its \(noun), which is more "
                    + "than the maximum of \(ModelLimits.argumentsPerText)")
        }
    }

    private func wrongDatabase(_ kind: String, _ right: String) -> CloudError {
        CloudError(
            .badRequest,
            "subscriptionType \(kind) is not for the \(scope.rawValue) database; it is for the \(right) one")
    }
}
