import Foundation

extension CKSyncEngine.State {
    /// A state to be kept: the next engine goes on from it. Opaque, small, and the same through any `Codable` way to and fro.
    ///
    /// It is made into bytes when it is encoded, not before.
    public struct Serialization: Codable, Sendable {
        private enum Key: String, CodingKey { case data }

        let state: SyncState

        init(_ state: SyncState) { self.state = state }

        /// Reads a state.
        /// - Throws: `DecodingError.dataCorrupted` for what is no state, or one of a later version.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let data = try container.decode(Data.self, forKey: .data)
            do {
                state = try SyncState(data)
            } catch let failure as CompactReader.Failure {
                throw DecodingError.dataCorruptedError(
                    forKey: .data, in: container,
                    debugDescription: "The state of a sync engine cannot be read: \(failure).")
            }
        }

        /// Writes a state.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(state.encoded(), forKey: .data)
        }
    }
}
