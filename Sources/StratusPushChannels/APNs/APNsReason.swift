import StratusCloudModel
import StratusCloudWire

/// Why Apple's push service refused: a word, in a JSON object.
struct APNsReason: CustomStringConvertible {
    /// Letters of the longest word that is believed.
    private static let length = 64

    /// The word; empty if the body has none.
    let text: String

    init(_ body: [UInt8]) {
        do throws(CloudError) {
            let word = try JSONReader(body, limit: PushChannelLimits.responseLength).member("reason")?.string() ?? ""
            text = word.utf8.count <= Self.length && word.allSatisfy { $0.isASCII && $0.isLetter } ? word : ""
        } catch {
            // A proxy's page, for example: then the status says all there is.
            text = ""
        }
    }

    var description: String { text.isEmpty ? "without a reason" : text }
}
