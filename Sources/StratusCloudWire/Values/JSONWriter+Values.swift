import StratusCloudModel

/// How values are written.
struct WireForm: Sendable {
    /// The owner of zones that name none.
    var callerRecordName: String?
    /// Answers show the owner and the type of every zone, requests only what distinguishes it.
    var isComplete: Bool
    var numbersAsStrings: Bool

    /// The form of requests.
    static let request = WireForm(callerRecordName: nil, isComplete: false, numbersAsStrings: false)
}

/// Values of fields, and the identifiers they contain.
extension JSONWriter {
    /// A zone ID as `form` wants it.
    mutating func zoneID(_ zoneID: ZoneID, _ form: WireForm) {
        beginObject()
        key("zoneName")
        string(zoneID.zoneName)
        if let owner = zoneID.ownerRecordName ?? form.callerRecordName {
            key("ownerRecordName")
            string(owner)
        } else if form.isComplete {
            key("ownerRecordName")
            constant(WireNames.defaultOwner)
        }
        if form.isComplete {
            key("zoneType")
            constant(zoneID.isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
        }
        endObject()
    }

    /// A reference with its action, which some clients want in every one.
    mutating func reference(_ reference: Reference, _ form: WireForm) {
        beginObject()
        key("recordName")
        string(reference.recordName)
        if let zone = reference.zoneID {
            key("zoneID")
            zoneID(zone, form)
        }
        key("action")
        switch reference.action {
        case .none: constant("NONE")
        case .deleteSelf: constant("DELETE_SELF")
        case .validate: constant("VALIDATE")
        }
        endObject()
    }

    mutating func asset(_ asset: Asset) {
        beginObject()
        key("fileChecksum")
        string(asset.fileChecksum)
        key("size")
        integer(asset.size)
        optional("receipt", asset.receipt)
        optional("referenceChecksum", asset.referenceChecksum)
        optional("wrappingKey", asset.wrappingKey)
        optional("downloadURL", asset.downloadURL)
        endObject()
    }

    mutating func location(_ location: Location) {
        beginObject()
        key("latitude")
        double(location.latitude)
        key("longitude")
        double(location.longitude)
        optional("horizontalAccuracy", location.horizontalAccuracy)
        optional("verticalAccuracy", location.verticalAccuracy)
        optional("altitude", location.altitude)
        optional("speed", location.speed)
        optional("course", location.course)
        if let timestamp = location.timestamp {
            key("timestamp")
            integer(timestamp.milliseconds)
            optional(WireNames.exactReferenceSeconds, timestamp.exactReferenceSeconds)
        }
        endObject()
    }

    mutating func optional(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    mutating func optional(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        double(value)
    }

    /// Bytes, as base64.
    mutating func optional(_ name: StaticString, base64 bytes: [UInt8]?) {
        guard let bytes else { return }
        key(name)
        plainString(Base64.encode(bytes))
    }

    /// A value without its type.
    mutating func scalar(_ value: ScalarValue, _ form: WireForm) {
        switch value {
        case .string(let text): string(text)
        case .int64(let number): form.numbersAsStrings ? quotedInteger(number) : integer(number)
        case .double(let number): form.numbersAsStrings ? quotedDouble(number) : double(number)
        case .timestamp(let date):
            form.numbersAsStrings ? quotedInteger(date.milliseconds) : integer(date.milliseconds)
        case .bytes(let bytes): plainString(Base64.encode(bytes))
        case .location(let place): location(place)
        case .reference(let target): reference(target, form)
        case .asset(let file): asset(file)
        }
    }

    /// The exact seconds of the dates of a list, under their key, if any of them has some.
    mutating func exactSeconds(_ values: [Double?]) {
        guard values.contains(where: { $0 != nil }) else { return }
        key(WireNames.exactReferenceSeconds)
        beginArray()
        for seconds in values {
            if let seconds { double(seconds) } else { null() }
        }
        endArray()
    }
}

extension ScalarValue {
    /// The exact seconds of a date.
    var exactReferenceSeconds: Double? {
        if case .timestamp(let date) = self { date.exactReferenceSeconds } else { nil }
    }
}
