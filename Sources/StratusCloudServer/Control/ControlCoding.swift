import FoundationEssentials
import StratusCloudModel

/// Control requests and answers as JSON.
public enum ControlCoding {
    /// A request in its envelope.
    public static func encode(_ request: ControlRequest) throws -> [UInt8] {
        Array(try JSONEncoder().encode(ControlEnvelope(request)))
    }

    /// An answer.
    public static func encode(_ response: ControlResponse) throws -> [UInt8] {
        Array(try JSONEncoder().encode(response))
    }

    /// Reads an answer.
    public static func decodeResponse(_ body: [UInt8]) throws -> ControlResponse {
        try JSONDecoder().decode(ControlResponse.self, from: Data(body))
    }

    /// Reads a request.
    /// - Throws: a failure that names the version if it is another one, `badRequest` for anything else.
    public static func decode(_ body: [UInt8]) throws(ControlFailure) -> ControlRequest {
        let version: Int
        do {
            version = try JSONDecoder().decode(VersionOnly.self, from: Data(body)).version
        } catch {
            throw ControlFailure(CloudError(.badRequest, "this is not a control request"))
        }
        guard version == ControlEnvelope.currentVersion else {
            throw ControlFailure(
                CloudError(
                    .badRequest,
                    "the server speaks version \(ControlEnvelope.currentVersion) of the control protocol, the tool "
                        + "version \(version); use a tool of the same version as the server"))
        }
        do {
            return try JSONDecoder().decode(ControlEnvelope.self, from: Data(body)).request
        } catch {
            throw ControlFailure(CloudError(.badRequest, "this control request is unknown or incomplete"))
        }
    }

    private struct VersionOnly: Decodable {
        var version: Int
    }
}
