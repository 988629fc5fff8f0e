import CloudModel

/// Values of fields, and the identifiers they contain.
extension JSONWriter {
    /// A zone ID, always with an owner: `caller` where the zone names none.
    mutating func zoneID(_ zoneID: ZoneID, caller: String?) {
        beginObject()
        key("zoneName")
        string(zoneID.zoneName)
        key("ownerRecordName")
        if let owner = zoneID.ownerRecordName ?? caller {
            string(owner)
        } else {
            string(WireNames.defaultOwner)
        }
        key("zoneType")
        string(zoneID.isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE" as StaticString)
        endObject()
    }

    mutating func reference(_ reference: Reference, caller: String?) {
        beginObject()
        key("recordName")
        string(reference.recordName)
        if let zone = reference.zoneID {
            key("zoneID")
            zoneID(zone, caller: caller)
        }
        key("action")
        switch reference.action {
        case .none: string("NONE" as StaticString)
        case .deleteSelf: string("DELETE_SELF" as StaticString)
        case .validate: string("VALIDATE" as StaticString)
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

    /// A value without its type.
    mutating func scalar(_ value: ScalarValue, caller: String?, numbersAsStrings: Bool) {
        switch value {
        case .string(let text): string(text)
        case .int64(let number): numbersAsStrings ? quotedInteger(number) : integer(number)
        case .double(let number): numbersAsStrings ? quotedDouble(number) : double(number)
        case .timestamp(let date):
            numbersAsStrings ? quotedInteger(date.milliseconds) : integer(date.milliseconds)
        case .bytes(let bytes): plainString(Base64.encode(bytes))
        case .location(let place): location(place)
        case .reference(let target): reference(target, caller: caller)
        case .asset(let file): asset(file)
        }
    }

    /// The exact seconds of dates, under their key, if any of them has some.
    mutating func exactSeconds(_ value: ScalarValue) {
        guard case .timestamp(let date) = value else { return }
        optional(WireNames.exactReferenceSeconds, date.exactReferenceSeconds)
    }

    /// As ``exactSeconds(_:)``, for the members of a list.
    mutating func exactSeconds(_ values: some Collection<ScalarValue>) {
        guard values.contains(where: { $0.exactReferenceSeconds != nil }) else { return }
        key(WireNames.exactReferenceSeconds)
        beginArray()
        for value in values {
            if let seconds = value.exactReferenceSeconds { double(seconds) } else { null() }
        }
        endArray()
    }
}

extension ScalarValue {
    fileprivate var exactReferenceSeconds: Double? {
        if case .timestamp(let date) = self { date.exactReferenceSeconds } else { nil }
    }
}
