import StratusCloudKit
import StratusCloudModel
import StratusCloudService
import StratusWorkers

/// Who there is: people, their devices, who is signed in on which, and what the service knows of all that.
///
/// Tests name people and devices without waiting; the service learns of them before the next request.
final class People: Sendable {
    struct DeviceState: Sendable, Equatable {
        /// Who is signed in.
        var account: String?
        /// What the device says instead of whether somebody is.
        var status: CKAccountStatus?
    }

    /// Where a device is notified of a container.
    struct Registration: Sendable, Equatable {
        let account: String
        let courierSecret: String
    }

    struct DeviceAt: Hashable {
        let device: DeviceName
        let container: ContainerIdentifier
    }

    private struct PersonAt: Hashable {
        let account: String
        let container: ContainerIdentifier
    }

    private struct State {
        var profiles: [String: LocalCloud.Profile] = [:]
        var devices: [DeviceName: DeviceState] = [:]
        var containers: Set<ContainerIdentifier> = []
        var emails: [String: String] = [:]
        var written: [String: LocalCloud.Profile] = [:]
        var readyContainers: Set<ContainerIdentifier> = []
        var userNames: [PersonAt: String] = [:]
        var registrations: [DeviceAt: Registration] = [:]
        /// Whether the service knows less than this.
        var isBehind = false
        var arranging: Task<CloudError?, Never>?
    }

    private let state = Lock(State())

    /// Says who a person is.
    func describe(_ account: String, _ profile: LocalCloud.Profile) {
        state.withLock { state in
            guard state.profiles[account] != profile else { return }
            state.profiles[account] = profile
            state.isBehind = true
        }
    }

    /// Whoever is named has an account.
    func add(_ account: String) {
        state.withLock { state in
            guard state.profiles[account] == nil else { return }
            state.profiles[account] = LocalCloud.Profile()
            state.isBehind = true
        }
    }

    /// Puts a device there, its owner signed in.
    func add(_ device: DeviceName) {
        state.withLock { state in
            guard state.devices[device] == nil else { return }
            state.devices[device] = DeviceState(account: device.owner)
            state.isBehind = true
        }
    }

    /// Changes a device; false if nothing did.
    func change(_ device: DeviceName, _ body: @Sendable (inout DeviceState) -> Void) -> Bool {
        state.withLock { state in
            let before = state.devices[device] ?? DeviceState()
            var next = before
            body(&next)
            guard next != before else { return false }
            state.devices[device] = next
            state.isBehind = true
            return true
        }
    }

    func state(of device: DeviceName) -> DeviceState { state.withLock { $0.devices[device] ?? DeviceState() } }

    /// The user record name of a person in a container that was prepared; nil before they have done anything.
    func userName(of account: String, in container: ContainerIdentifier) -> String? {
        state.withLock { $0.userNames[PersonAt(account: account, container: container)] }
    }

    /// Where a device hears of a container that was prepared; nil while nobody is signed in.
    func registration(of device: DeviceName, in container: ContainerIdentifier) -> Registration? {
        state.withLock { state in
            let registration = state.registrations[DeviceAt(device: device, container: container)]
            return registration?.account == state.devices[device]?.account ? registration : nil
        }
    }

    // MARK: The service's knowledge

    /// Tells the service of all that it does not know yet.
    func prepare(
        _ container: ContainerIdentifier, _ service: CloudService, _ environment: CloudEnvironment
    ) async throws(CloudError) {
        let arranging = state.withLock { state -> Task<CloudError?, Never>? in
            if state.containers.insert(container).inserted { state.isBehind = true }
            guard state.isBehind else { return state.arranging }
            state.isBehind = false
            let before = state.arranging
            let task = Task { [weak self] () -> CloudError? in
                _ = await before?.value
                do throws(CloudError) {
                    try await self?.arrange(service, environment)
                    return nil
                } catch {
                    // The next request tries again, and is told if it is still so.
                    self?.state.withLock { $0.isBehind = true }
                    return error
                }
            }
            state.arranging = task
            return task
        }
        if let error = await arranging?.value { throw error }
    }

    private func arrange(_ service: CloudService, _ environment: CloudEnvironment) async throws(CloudError) {
        let plan = state.withLock { ($0.containers, $0.profiles, $0.devices) }
        let (containers, profiles, devices) = plan
        for container in containers where !state.withLock({ $0.readyContainers.contains(container) }) {
            try await service.createContainer(container)
            state.withLock { _ = $0.readyContainers.insert(container) }
        }
        for (account, profile) in profiles {
            try await arrange(account, profile, in: containers, service, environment)
        }
        for (device, condition) in devices {
            guard let account = condition.account else { continue }
            for container in containers {
                try await register(device, account, in: container, service, environment)
            }
        }
    }

    private func arrange(
        _ account: String, _ profile: LocalCloud.Profile, in containers: Set<ContainerIdentifier>,
        _ service: CloudService, _ environment: CloudEnvironment
    ) async throws(CloudError) {
        let change = ProfileChange(
            givenName: profile.givenName ?? "", familyName: profile.familyName ?? "", phone: profile.phoneNumber ?? "")
        let (known, written) = state.withLock { ($0.emails[account], $0.written[account]) }
        let email: String
        if let known {
            email = known
            if written != profile { try await service.updateProfile(email: email, change) }
        } else {
            email = profile.emailAddress ?? Self.madeUpAddress(of: account, number: state.withLock { $0.emails.count })
            try await service.createAccount(email: email, password: "never checked", profile: change)
        }
        state.withLock { state in
            state.emails[account] = email
            state.written[account] = profile
        }
        for container in containers {
            let person = PersonAt(account: account, container: container)
            let isNew = state.withLock { $0.userNames[person] == nil }
            let context = CloudContext(container: container, environment: environment)
            if isNew {
                let name = try await service.userRecordName(email: email, in: context)
                state.withLock { $0.userNames[person] = name }
            }
            if isNew ? profile.isDiscoverable : written?.isDiscoverable != profile.isDiscoverable {
                try await service.setDiscoverable(profile.isDiscoverable, email: email, in: context)
            }
        }
    }

    private func register(
        _ device: DeviceName, _ account: String, in container: ContainerIdentifier, _ service: CloudService,
        _ environment: CloudEnvironment
    ) async throws(CloudError) {
        let place = DeviceAt(device: device, container: container)
        let known = state.withLock { state in
            (state.registrations[place], state.userNames[PersonAt(account: account, container: container)])
        }
        guard known.0?.account != account, let user = known.1 else { return }
        let caller = Caller(
            context: CloudContext(container: container, environment: environment), principal: .user(user))
        let registration = try await service.registerDevice(
            PushTokenRequest(clientID: device.clientID), as: caller)
        state.withLock { state in
            state.registrations[place] = Registration(account: account, courierSecret: registration.courierSecret)
        }
    }

    /// `ada@example.com` for "Ada"; a number for what is no such name.
    private static func madeUpAddress(of account: String, number: Int) -> String {
        if account.contains("@") { return account }
        let isPlain =
            !account.isEmpty && account.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        return isPlain ? account + "@example.com" : "person-\(number)@people.example.com"
    }
}

extension DeviceName {
    /// What the device calls itself, so that it is not told of what it does.
    var clientID: String { "\(owner)/\(name)" }
}
