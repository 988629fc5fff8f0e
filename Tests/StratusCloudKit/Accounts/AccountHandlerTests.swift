import CloudKit
import StratusTesting
import Testing

/// Calls of a container about people, with completion handlers.
@Suite struct AccountHandlerTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Device
    private let bob: LocalCloud.Account

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada").device()
        bob = cloud.account(
            "bob",
            .init(
                emailAddress: "bob@example.org", givenName: "Bob", phoneNumber: "+44 20 7946 0000", isDiscoverable: true
            ))
    }

    @Test func theUsersOwnIdentifier() async throws {
        let own = try await answer { ada.container.fetchUserRecordID(completionHandler: $0) }
        #expect(own == (try await ada.container.userRecordID()))
        #expect(own != (try await bob.container.userRecordID()))
        ada.signOut()
        #expect(
            await code { _ = try await answer { ada.container.fetchUserRecordID(completionHandler: $0) } }
                == .notAuthenticated)
    }

    @Test func oneOtherPerson() async throws {
        let container = ada.container
        let byAddress = try await answer {
            container.discoverUserIdentity(withEmailAddress: "bob@example.org", completionHandler: $0)
        }
        let bobsID = try await bob.container.userRecordID()
        #expect(byAddress?.userRecordID == bobsID && byAddress?.nameComponents?.givenName == "Bob")
        let byID = try await answer {
            container.discoverUserIdentity(withUserRecordID: bobsID, completionHandler: $0)
        }
        #expect(byID?.userRecordID == bobsID && byID?.lookupInfo?.userRecordID == bobsID)
        // Nobody is neither a person nor an error.
        let nobody = try await answer {
            container.discoverUserIdentity(withEmailAddress: "nobody@example.org", completionHandler: $0)
        }
        #expect(nobody == nil)
    }

    @Test func severalPeople() async throws {
        let container = ada.container
        let bobsID = try await bob.container.userRecordID()
        let byAddress = try await result {
            container.discoverUserIdentities(
                forEmailAddresses: ["bob@example.org", "nobody@example.org"], completionHandler: $0)
        }
        #expect(byAddress.mapValues { $0.userRecordID } == ["bob@example.org": bobsID])
        let byNumber = try await result {
            container.discoverUserIdentities(forPhoneNumbers: ["+44 20 7946 0000", "+1"], completionHandler: $0)
        }
        #expect(byNumber.mapValues { $0.nameComponents?.givenName } == ["+44 20 7946 0000": "Bob"])
        let nobodysID = CKRecord.ID(recordName: "_" + String(repeating: "0", count: 32))
        let byID = try await result {
            container.discoverUserIdentities(forUserRecordIDs: [bobsID, nobodysID], completionHandler: $0)
        }
        #expect(byID.keys.map { $0 } == [bobsID] && byID[bobsID]?.lookupInfo?.userRecordID == bobsID)
        ada.signOut()
        let refused = await code {
            _ = try await result {
                container.discoverUserIdentities(forEmailAddresses: ["bob@example.org"], completionHandler: $0)
            }
        }
        #expect(refused == .notAuthenticated)
    }

    @Test func whetherTheUserMayBeFound() async throws {
        for (container, status, request) in [
            (bob.container, CKContainer.ApplicationPermissionStatus.granted, .granted),
            (ada.container, .initialState, CKContainer.ApplicationPermissionStatus.couldNotComplete),
        ] {
            #expect(try await container.applicationPermissionStatus(for: .userDiscoverability) == status)
            #expect(try await container.requestApplicationPermission(.userDiscoverability) == request)
            let told = try await result { tell in
                container.requestApplicationPermission(.userDiscoverability) { status, error in
                    tell(error.map { .failure($0) } ?? .success(status))
                }
            }
            #expect(told == request)
            let said = try await result { tell in
                container.status(forApplicationPermission: .userDiscoverability) { status, error in
                    tell(error.map { .failure($0) } ?? .success(status))
                }
            }
            #expect(said == status)
        }
    }

    @Test func whoIsSignedOutIsNotAskedForPermission() async throws {
        ada.signOut()
        let diary = Diary()
        try await result { (tell: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            ada.container.requestApplicationPermission(.userDiscoverability) { status, error in
                diary.note("\(status == .couldNotComplete) \((error as? CKError)?.code == .notAuthenticated)")
                tell(.success(()))
            }
        }
        try await result { (tell: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            ada.container.status(forApplicationPermission: .userDiscoverability) { status, error in
                diary.note("\(status == .couldNotComplete) \((error as? CKError)?.code == .notAuthenticated)")
                tell(.success(()))
            }
        }
        #expect(diary.text == ["true true", "true true"])
    }
}
