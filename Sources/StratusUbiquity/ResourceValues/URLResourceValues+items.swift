import Foundation

extension URLResourceKey {
    /// Whether the item stays on this machine.
    public static let ubiquitousItemIsExcludedFromSyncKey = URLResourceKey(
        rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")
    /// Whether the item is shared.
    public static let ubiquitousItemIsSharedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
    /// The part that the person has in the share of the item.
    public static let ubiquitousSharedItemCurrentUserRoleKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserRoleKey")
    /// The person's permission for the shared item.
    public static let ubiquitousSharedItemCurrentUserPermissionsKey = URLResourceKey(
        rawValue: "NSURLUbiquitousSharedItemCurrentUserPermissionsKey")
}

extension URLResourceValues {
    /// Whether the newest contents of the item are on this machine.
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
        text(.ubiquitousItemDownloadingStatusKey).map(URLUbiquitousItemDownloadingStatus.init(rawValue:))
    }
    /// Whether the item is shared.
    public var ubiquitousItemIsShared: Bool? { allValues[.ubiquitousItemIsSharedKey] as? Bool }
    /// The part that the person has in the share of the item; nil for an item that is not shared.
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? {
        text(.ubiquitousSharedItemCurrentUserRoleKey).map(URLUbiquitousSharedItemRole.init(rawValue:))
    }
    /// The person's permission for the item; nil for an item that is not shared.
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? {
        text(.ubiquitousSharedItemCurrentUserPermissionsKey).map(URLUbiquitousSharedItemPermissions.init(rawValue:))
    }
    /// Whether the item stays on this machine.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { allValues[.ubiquitousItemIsExcludedFromSyncKey] as? Bool }
        set { set(.ubiquitousItemIsExcludedFromSyncKey, to: newValue) }
    }

    private func text(_ key: URLResourceKey) -> String? { allValues[key] as? String }

    /// The stored properties of the structure. Foundation has no public function that sets the value of any key.
    private struct Storage {
        var values: [URLResourceKey: Any]
        var keys: Set<URLResourceKey>
    }

    /// Whether this Foundation stores values as ``Storage`` does. If a later one does not, values are not set.
    private static let hasKnownStorage: Bool = {
        let stored = Mirror(reflecting: URLResourceValues()).children.map { ObjectIdentifier(type(of: $0.value)) }
        return stored == [ObjectIdentifier([URLResourceKey: Any].self), ObjectIdentifier(Set<URLResourceKey>.self)]
            && MemoryLayout<URLResourceValues>.size == MemoryLayout<Storage>.size
    }()

    private mutating func set(_ key: URLResourceKey, to value: Any?) {
        guard Self.hasKnownStorage else { return }
        withUnsafeMutablePointer(to: &self) { pointer in
            pointer.withMemoryRebound(to: Storage.self, capacity: 1) { storage in
                storage.pointee.keys.insert(key)
                storage.pointee.values[key] = value
            }
        }
    }
}

/// The part that a person has in the share of an item.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    /// The text that stands for the value.
    public let rawValue: String
    /// Takes the text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The person shares the item.
    public static let owner = Self(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    /// Another person shares the item with this one.
    public static let participant = Self(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

/// A person's permission for a shared item.
public struct URLUbiquitousSharedItemPermissions: RawRepresentable, Hashable, Sendable {
    /// The text that stands for the value.
    public let rawValue: String
    /// Takes the text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The person may only read the item.
    public static let readOnly = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadOnly")
    /// The person may read and change the item.
    public static let readWrite = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadWrite")
}
