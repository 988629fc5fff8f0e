import StratusCloudModel

extension NotificationInfo {
    /// Puts what the subscription wants to say into a notification.
    /// - Parameter record: fills the texts; nil where no single record is meant.
    func fill(_ notification: inout CloudNotification, from record: StoredRecord?) {
        notification.body = body.filled(from: record)
        notification.title = title.filled(from: record)
        notification.subtitle = subtitle.filled(from: record)
        notification.actionLocalizationKey = actionLocalizationKey
        notification.launchImage = launchImage
        notification.soundName = soundName
        notification.badge = shouldBadge ? 1 : nil
        notification.category = category
        // What shows nothing can only be meant to wake the app.
        notification.isContentAvailable = shouldSendContentAvailable || isSilent
        notification.isMutableContent = shouldSendMutableContent
        notification.collapseID = collapseIDKey.flatMap { key in record.map { $0.text(of: key) } }
    }

    /// The fields of a record that travel along. Encrypted ones and assets never do.
    func fields(of record: StoredRecord) -> FieldMap {
        var fields = FieldMap()
        for key in desiredKeys {
            guard let field = record.fields[key], !field.isEncrypted, field.value.scalarType != .asset else { continue }
            fields[key] = field
        }
        return fields
    }
}

extension NotificationInfo.Text {
    fileprivate func filled(from record: StoredRecord?) -> CloudNotification.Text {
        CloudNotification.Text(
            literal, localizationKey: localizationKey,
            localizationArguments: localizationArguments.map { record?.text(of: $0) ?? "" })
    }
}

extension StoredRecord {
    /// A field's value as people read it; empty where there is none that can be shown.
    fileprivate func text(of name: String) -> String {
        guard let field = fields[name], !field.isEncrypted else { return "" }
        switch field.value {
        case .scalar(let value): return value.text
        case .list(_, let members): return members.map(\.text).joined(separator: ", ")
        }
    }
}

extension ScalarValue {
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .timestamp(let moment): ISO8601Date.text(milliseconds: moment.milliseconds)
        case .location(let place): "\(place.latitude), \(place.longitude)"
        case .reference(let target): target.recordName
        case .bytes, .asset: ""
        }
    }
}
