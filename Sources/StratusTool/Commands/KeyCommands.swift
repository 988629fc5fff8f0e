import Glibc
import StratusCloudCrypto
import StratusCloudServer
import StratusCommandLine

/// `stratus key …`
enum KeyCommands {
    private struct Created: Encodable {
        var keyID: String
        var privateKeyFile: String
    }

    private struct Registered: Encodable {
        var keyID: String
    }

    /// Bytes of a public key file.
    private static let keyFileSize = 65_536

    private static let name = Option.value(
        "name", .string("name"), default: "key", help: "A name for the key")
    private static let output = Option.value(
        "output", .file, default: "eckey.pem",
        help: "The file for the private key; an existing file is never overwritten")
    private static let publicKey = Option.required(
        "public-key", .file, help: "A P-256 public key in PEM")

    static func command(_ output: Output) -> Command {
        Command(
            "key", summary: "Creates, registers, lists and revokes server-to-server keys",
            subcommands: [
                create(output), register(output), CredentialLists.keys(output), CredentialLists.revokeKey(output),
            ], hints: ["delete": "'stratus key revoke' revokes a key", "remove": "'stratus key revoke' revokes a key"])
    }

    private static func create(_ output: Output) -> Command {
        Command(
            "create", summary: "Creates a key pair, writes the private key and registers the public one",
            options: TargetOptions.context + [name, Self.output], changes: true, output: output
        ) { context, values throws(ToolError) in
            let path = values[Self.output]
            let (privatePEM, publicPEM) = try makePair()
            // Written first: a key that nobody has is worse than a file that is of no use.
            try AtomicFile.write(Array(privatePEM.utf8), to: path)
            do throws(ToolError) {
                let keyID = try await register(publicPEM, values, context)
                try context.output.result(
                    Created(keyID: keyID, privateKeyFile: path), text: "\(keyID)\nprivate key: \(path)")
            } catch {
                unlink(path)
                throw error
            }
            return .success
        }
    }

    private static func register(_ output: Output) -> Command {
        Command(
            "register", summary: "Registers the public key of a key pair that you created",
            discussion: "Create one with: openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem && "
                + "openssl ec -in eckey.pem -pubout -out public.pem",
            options: TargetOptions.context + [name, publicKey], changes: true, output: output
        ) { context, values throws(ToolError) in
            let path = values[publicKey]
            let bytes = try AtomicFile.read(path, limit: keyFileSize)
            let keyID = try await register(String(decoding: bytes, as: UTF8.self), values, context)
            try context.output.result(Registered(keyID: keyID), text: keyID)
            return .success
        }
    }

    private static func register(
        _ publicPEM: String, _ values: Values, _ context: ToolContext
    ) async throws(ToolError) -> String {
        let request = ControlRequest.registerKey(
            context: try values.context, name: values[name], publicKeyPEM: publicPEM)
        guard case .keyID(let keyID) = try await context.perform(request) else { throw .unexpectedAnswer }
        return keyID
    }

    private static func makePair() throws(ToolError) -> (privatePEM: String, publicPEM: String) {
        do {
            let key = try P256PrivateKey.generate()
            return (try key.pem(), try key.publicKey.pem())
        } catch {
            throw ToolError("cannot create a key: \(error)")
        }
    }
}
