import Foundation

extension Tenant {
    /// Adds record types, in the schema language, to the production environment.
    public func applySchema(_ recordTypes: String) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/schema.ckdb"
        try "DEFINE SCHEMA\n\n\(recordTypes)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await Tool.run([
            "schema", "apply", file, "--container", container, "--environment", "production", "--data",
            cloud.directory.path,
        ])
        guard run.ending == .exited(0) else { throw Tool.Failure(description: "\(run)") }
    }

    /// A database of the production environment, as a person uses it or, without one, as anybody.
    public func production(_ scope: String, _ person: Person?) async throws -> Database {
        var credential = Credential.apiToken(productionToken)
        if let person {
            let session = try await cloud.makeSession(person.email, container, "production")
            credential = .user(apiToken: productionToken, webAuthToken: session.webAuthToken)
        }
        var database = database(scope, credential)
        database.environment = "production"
        return database
    }
}
