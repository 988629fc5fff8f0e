import StratusHTTPClient

extension Database {
    /// The body of `assets/upload` for one field.
    public static func tokens(_ type: String?, _ name: String?, _ field: String, zone: String? = nil) -> JSON {
        var token: JSON = ["fieldName": .string(field)]
        if let type { token["recordType"] = .string(type) }
        if let name { token["recordName"] = .string(name) }
        var body: JSON = ["tokens": [token]]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return body
    }

    /// The address to send the bytes of a field to.
    public func uploadURL(
        _ type: String?, _ name: String?, _ field: String = "file", zone: String? = nil
    ) async throws -> String {
        let answer = try await post("assets/upload", Self.tokens(type, name, field, zone: zone))
        guard answer.status == 200, let url = answer.json["tokens"][0]["url"].string else {
            throw UnexpectedAnswer(answer)
        }
        return url
    }

    /// Sends bytes to an address, or gets them from one, as anybody can who has it.
    public static func transfer(
        _ method: String, _ url: String, _ headers: HTTPHeaders = [:], body: [UInt8] = []
    ) async throws -> HTTPClientResponse {
        try await http.send(HTTPClientRequest(method: method, url: url, headers: headers, body: body))
    }

    /// Uploads bytes for a field: the dictionary to save.
    public func upload(
        _ bytes: [UInt8], _ type: String, _ name: String, _ field: String = "file", zone: String? = nil
    ) async throws -> JSON {
        let url = try await uploadURL(type, name, field, zone: zone)
        let response = try await Self.transfer("POST", url, body: bytes)
        let asset = try JSON(parsing: response.body)["singleFile"]
        guard response.status == 200, asset["receipt"].isPresent else {
            throw UnexpectedTransfer(response: response)
        }
        return asset
    }

    /// A record with bytes in its field `file`.
    public func saveFile(_ bytes: [UInt8], _ type: String, _ name: String, zone: String? = nil) async throws -> JSON {
        let asset = try await upload(bytes, type, name, zone: zone)
        return try await save(Change.forceReplace(type, name, ["file": Fields.typed("ASSETID", asset)]), zone: zone)
    }
}

/// An answer to bytes, or with bytes, that is not what a test needs to go on.
public struct UnexpectedTransfer: Error, CustomStringConvertible {
    /// The answer.
    public let response: HTTPClientResponse
    /// Status and beginning of the body.
    public var description: String {
        "unexpected answer: \(response.status) \(String(decoding: response.body.prefix(500), as: UTF8.self))"
    }
}
