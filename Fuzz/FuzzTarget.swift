/// Something that takes bytes from outside and must stand all of them.
///
/// To add one: write a file with a type that conforms, and list it in `targets`.
protocol FuzzTarget: Sendable {
    /// What `--target` calls it.
    var name: String { get }

    /// Valid inputs to start from; small ones that differ find more than large ones.
    var corpus: [[UInt8]] { get }

    /// Runs one input, and says whether it was accepted. Refusing it is fine; a broken promise is thrown; a crash is
    /// found by the line printed before.
    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool
}

/// What should have held for every input and did not.
struct BrokenPromise: Error {
    let what: String
}

/// Every target, in the order they take turns.
let targets: [any FuzzTarget] = [
    JSONTarget(), ModifyRecordsTarget(), LookupRecordsTarget(), QueryRecordsTarget(), ModifyZonesTarget(),
    LookupZonesTarget(), ModifySubscriptionsTarget(), LookupSubscriptionsTarget(), PushTokenTarget(),
    RecordLineTarget(), RecordResultsTarget(), QueryTarget(), ContinuationMarkerTarget(),
    QueryPositionTarget(), DiscoverUsersTarget(), ContactsTarget(),
    ZoneChangesTarget(), ZoneChangesAnswerTarget(), SyncTokenTarget(),
    ShareLinksTarget(), ShareLinkAnswerTarget(), UploadAssetsTarget(), RereferenceAssetsTarget(), AssetAddressTarget(),
    PredicateTarget(),
    SealedValueTarget(), PlainValueTarget(), KeyEnvelopeTarget(), KeyFileTarget(), RecoveryPhraseTarget(),
    LinkFragmentTarget(),
    SchemaTarget(), WebDAVBodyTarget(), WebDAVIfTarget(), BackupNameTarget(), ModelFileTarget(),
    ValueArchiveTarget(),
]
