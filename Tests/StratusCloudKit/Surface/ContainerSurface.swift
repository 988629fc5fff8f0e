import CloudKit

/// Containers as programs use them. Compiled, not run.
enum ContainerSurface {
    static func databases() -> [CKDatabase] {
        let container = CKContainer(identifier: "iCloud.org.example.surface")
        let fallback: CKContainer = .default()
        let identifier: String? = container.containerIdentifier
        precondition(identifier != nil)
        return [
            container.privateCloudDatabase, container.publicCloudDatabase, container.sharedCloudDatabase,
            container.database(with: .private), CKContainer.default().database(with: CKDatabase.Scope.public),
            fallback.privateCloudDatabase,
        ]
    }

    static func account(_ container: CKContainer) async throws -> String {
        let userID: CKRecord.ID = try await container.userRecordID()
        switch try await container.accountStatus() {
        case .available: return userID.recordName
        case .couldNotDetermine, .restricted, .noAccount: return "none"
        case .temporarilyUnavailable: return "later"
        @unknown default: return "new"
        }
    }

    static func accountByHandler(_ container: CKContainer) {
        container.accountStatus { status, error in
            guard error == nil, status == .available else { return }
        }
        container.fetchUserRecordID { recordID, error in
            if let name = recordID?.recordName, error == nil { print(name) }
        }
        container.fetchUserRecordID(completionHandler: { (_: CKRecord.ID?, _: (any Error)?) in })
    }

    static func accountChanges() async {
        let token = NotificationCenter.default.addObserver(
            forName: .CKAccountChanged, object: nil, queue: .main
        ) { _ in }
        NotificationCenter.default.removeObserver(token)
        for await _ in NotificationCenter.default.notifications(named: .CKAccountChanged) { break }
    }

    @available(*, deprecated)
    static func permissions(_ container: CKContainer) async throws -> Bool {
        let block: CKContainer.ApplicationPermissionBlock = { status, _ in print(status) }
        let older: CKContainer.Application.PermissionBlock = block
        container.requestApplicationPermission(.userDiscoverability, completionHandler: block)
        container.status(forApplicationPermission: [.userDiscoverability], completionHandler: older)
        container.requestApplicationPermission(CKContainer_Application_Permissions.userDiscoverability) { status, _ in
            switch status {
            case .initialState, .couldNotComplete, .denied: break
            case .granted: break
            @unknown default: break
            }
        }
        let asked: CKContainer.Application.PermissionStatus =
            try await container.requestApplicationPermission(CKContainer.Application.Permissions.userDiscoverability)
        return try await container.applicationPermissionStatus(for: .userDiscoverability) == asked
    }

    @available(*, deprecated)
    static func discovery(_ container: CKContainer, _ recordID: CKRecord.ID) async throws {
        let all: [CKUserIdentity] = try await container.allUserIdentitiesFromContacts()
        let byMail: CKUserIdentity? = try await container.userIdentity(forEmailAddress: "ada@example.org")
        let byPhone: CKUserIdentity? = try await container.userIdentity(forPhoneNumber: "+49301234567")
        let byRecord: CKUserIdentity? = try await container.userIdentity(forUserRecordID: recordID)
        print(all.count, byMail as Any, byPhone as Any, byRecord as Any)
        let mails: [String: CKUserIdentity] = try await container.userIdentities(forEmailAddresses: ["ada@example.org"])
        let phones: [String: CKUserIdentity] = try await container.userIdentities(forPhoneNumbers: ["+49301234567"])
        let records: [CKRecord.ID: CKUserIdentity] = try await container.userIdentities(forUserRecordIDs: [recordID])
        print(mails.count, phones.count, records.count)
    }

    @available(*, deprecated)
    static func discoveryByHandler(_ container: CKContainer, _ recordID: CKRecord.ID) {
        container.discoverAllIdentities { identities, _ in print(identities?.count ?? 0) }
        container.discoverUserIdentity(withEmailAddress: "ada@example.org") { identity, _ in print(identity as Any) }
        container.discoverUserIdentity(withPhoneNumber: "+49301234567") { identity, _ in print(identity as Any) }
        container.discoverUserIdentity(withUserRecordID: recordID) { identity, error in
            print(identity?.nameComponents?.givenName ?? "", error?.localizedDescription ?? "")
        }
        container.discoverUserIdentities(forEmailAddresses: []) { result in _ = try? result.get() }
        container.discoverUserIdentities(forPhoneNumbers: []) { result in _ = try? result.get() }
        container.discoverUserIdentities(forUserRecordIDs: [recordID]) {
            (result: Result<[CKRecord.ID: CKUserIdentity], any Error>) in
            if case .failure(let error) = result { print(error) }
        }
    }

    static func configured(_ container: CKContainer, _ recordID: CKRecord.ID) async throws -> CKRecord {
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .utility
        let group = CKOperationGroup()
        group.name = "surface"
        let scope = container.configuredWith(configuration: configuration) { $0.privateCloudDatabase.databaseScope }
        container.configuredWith(group: group) { container in container.add(CKFetchRecordsOperation()) }
        print(scope)
        return try await container.configuredWith(configuration: configuration, group: group) { container in
            try await container.privateCloudDatabase.record(for: recordID)
        }
    }
}
