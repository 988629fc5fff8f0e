/// The steps of several devices of one person whose stores are mirrored. Nothing in it is left to chance, so that it can
/// be run again.
package struct MirrorHistory: Sendable, Hashable {
    /// The number of devices.
    var devices = 2
    /// Whether the last device is somebody else's, with whom the person shares objects.
    var hasGuest = false
    /// Whether all devices have a store of the public database besides.
    var hasPublicStore = false
    /// The changes that a page of a feed holds at most; nil for as many as the server gives.
    var pageSize: Int?
    var steps: [MirrorStep] = []

    /// The number of steps.
    package var length: Int { steps.count }

    /// Whether several devices of the person share objects. If two share one object at the same time, the values of one
    /// may win.
    var sharesFromSeveralDevices: Bool {
        let sharers = steps.compactMap { step -> Int? in
            guard case .share(let sharing, _) = step else { return nil }
            return sharing.device % max(1, devices - 1)
        }
        return hasGuest && Set(sharers).count > 1
    }

    /// Whether nothing that the guest does is ever forbidden.
    var trustsGuest: Bool {
        steps.allSatisfy { step in
            switch step {
            case .share(let sharing, _): sharing.permission == .readWrite
            case .permit, .leave: false
            default: true
            }
        }
    }
}

/// One thing that happens. Numbers of objects count those that the device has, in the order of their names, and begin
/// again after the last.
enum MirrorStep: Sendable, Hashable {
    /// The program on a device saves changes.
    case save(Int, [MirrorChange])
    /// A device exports what waits and imports what is new.
    case synchronize(Int, [MirrorIncident])
    /// The process of a device ends, and another one begins.
    case restart(Int)
    case goOffline(Int)
    case goOnline(Int)
    /// Something goes wrong with the next requests of a device.
    case fault(Int, MirrorFault)
    /// All tokens of change feeds expire.
    case expireTokens
    /// The program on a device deletes its history.
    case deleteHistory(Int)
    /// The person removes the data of the app in the system's settings.
    case purge
    /// Seconds pass.
    case wait(Int)
    /// The person shares an object and invites the guest, or moves it to a share that exists.
    case share(MirrorSharing, [MirrorIncident])
    /// The guest accepts an invitation, or leaves a share.
    case join(Int)
    case leave(Int)
    /// A device changes the guest's permission in a share.
    case permit(Int, Int, MirrorPermission)
}

/// An object that a device shares.
struct MirrorSharing: Sendable, Hashable {
    var device: Int
    var object: Int
    /// A share that exists; nil for a new one.
    var share: Int?
    var permission: MirrorPermission
}

/// The right of the guest in a share.
enum MirrorPermission: String, Sendable, Hashable, CaseIterable { case readOnly, readWrite, none }

/// A change of the graph of a device.
enum MirrorChange: Sendable, Hashable {
    case create(MirrorEntity)
    case delete(Int)
    case set(Int, MirrorAttribute)
    /// Makes the second object the parent of the first one; nil for none.
    case setParent(Int, Int?)
    case setCover(Int, Int?)
    case addTag(Int, Int)
    case removeTag(Int, Int)
    /// A change of the public store.
    case createEntry
    case setEntry(Int)
    case deleteEntry(Int)
}

enum MirrorEntity: String, Sendable, Hashable, CaseIterable {
    case note = "Note"
    case task = "Task"
    case tag = "Tag"
    case image = "Image"
}

enum MirrorAttribute: String, Sendable, Hashable, CaseIterable { case title, body, count, secret, data }

/// An incident at a moment of a synchronization. Moments are counted from 1.
struct MirrorIncident: Sendable, Hashable {
    enum Event: Sendable, Hashable {
        /// The process ends.
        case end
        /// The program saves.
        case save([MirrorChange])
        /// Another device synchronizes.
        case synchronize(Int)
    }

    var moment: Int
    var event: Event
}

/// A fault of a request.
enum MirrorFault: Sendable, Hashable, CaseIterable { case lostRequest, lostAnswer, lostRead, throttle, busy, zoneBusy }

extension MirrorChange {
    /// Whether the change is one of the public store.
    var isPublic: Bool {
        switch self {
        case .createEntry, .setEntry, .deleteEntry: true
        default: false
        }
    }
}
