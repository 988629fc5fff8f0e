import Foundation

/// The kinds of merge policies, with Apple's numbers.
public enum NSMergePolicyType: UInt, Sendable {
    /// A conflict is an error of the save.
    case errorMergePolicyType = 0
    /// The value in the store stays if both sides changed a property.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// The value in memory is saved if both sides changed a property.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// All values in memory are saved.
    case overwriteMergePolicyType = 3
    /// The changes in memory are discarded.
    case rollbackMergePolicyType = 4
}

// The kind, the only property, never changes. Classes of programs answer for properties of their own.
/// The resolution of conflicts between the changes of a context and those in the store.
///
/// Classes of programs override one of the methods that resolve conflicts, change the objects, and call the inherited
/// method.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// The kind of the policy.
    public let mergeType: NSMergePolicyType

    /// Makes a policy of a kind.
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    /// The policy of a new context: a conflict is an error.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The policy that discards changes in memory.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// The policy that saves all values in memory.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// The policy that prefers changes in memory, for each property.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// The policy that prefers changes in the store, for each property.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)

    /// Resolves conflicts of either kind. Throws if the save is to fail.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with rows that have changed since they were read. Throws if the save is to fail.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CocoaError.make(
                .managedObjectMerge, "objects have changed in the store since they were read",
                [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { conflict.resolve(mergeType) }
    }

    /// Resolves conflicts between objects with equal values for a uniqueness constraint. Throws if the save is to fail.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CocoaError.make(
                .managedObjectConstraintMerge, "objects have equal values for a uniqueness constraint",
                [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { conflict.resolve(mergeType) }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The policy for which a conflict is an error.
public let NSErrorMergePolicy = NSMergePolicy.error
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The policy that prefers changes in the store, for each property.
public let NSMergeByPropertyStoreTrumpMergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The policy that prefers changes in memory, for each property.
public let NSMergeByPropertyObjectTrumpMergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The policy that saves all values in memory.
public let NSOverwriteMergePolicy = NSMergePolicy.overwrite
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The policy that discards changes in memory.
public let NSRollbackMergePolicy = NSMergePolicy.rollback

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The array of conflicts in the `userInfo` of the error of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
