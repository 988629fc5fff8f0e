// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
/// Settings of the modules that answer requests: an asynchronous function runs where its caller does, which saves changes
/// of executor. The SDK does not use them, because its callers may be on the main actor.
let serving = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// A library module (Documentation/architecture.md) and the modules that it may import.
func module(_ name: String, imports: [Target.Dependency] = [], settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: settings)
}

/// The tests of one module, in a folder of the same name.
func tests(of name: String, imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.target(name: name), "StratusSeeds"] + imports, path: "Tests/" + name,
        swiftSettings: strict)
}

func system(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "Stratus",
    products: [
        .executable(name: "stratus", targets: ["stratus"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "StratusCompatibility", targets: ["StratusCompatibility"]),
        .library(name: "CloudKit", targets: ["CloudKit"]),
        .library(name: "StratusCloudKit", targets: ["StratusCloudKit"]),
        // Not brought along by CloudKit: their presence would send other packages down the ways they keep for Apple's
        // systems.
        .library(name: "os", targets: ["os"]),
        .library(name: "OSLog", targets: ["OSLog"]),
        .library(name: "Combine", targets: ["Combine"]),
        .library(name: "StratusTesting", targets: ["StratusTesting"]),
        .library(name: "StratusUbiquity", targets: ["StratusUbiquity"]),
        .library(name: "UIKit", targets: ["UIKit"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "StratusCoreData", targets: ["StratusCoreData"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .plugin(name: "CoreDataSourcesPlugin", targets: ["CoreDataSourcesPlugin"]),
    ],
    targets: [
        system("StratusCSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        system("StratusCMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
        system("StratusCOpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
        system("StratusCSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
        system("StratusCCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        // Of libicu-dev. Compiled, because ICU's headers may not meet Foundation's own copy of them in Swift.
        .target(name: "StratusCICU", linkerSettings: [.linkedLibrary("icuuc")]),
        // Of libleveldb-dev, which has no pkg-config file; its own C interface leaves too much out. The archive, not the
        // shared library, whose checksum, without the processor's instruction, and whose tables could not be replaced.
        .target(name: "StratusCLevelDB", linkerSettings: [.linkedLibrary(":libleveldb.a"), .linkedLibrary("snappy")]),
        system("StratusCZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        system("StratusCExpat", pkgConfig: "expat", package: "libexpat1-dev"),
        system("StratusCFUSE", pkgConfig: "fuse3", package: "libfuse3-dev"),
        // Vectors of the processor, by C's names for them.
        .target(name: "StratusCPlainText"),
        .target(name: "StratusCProgramMemory"),
        // Counts allocations in the benchmark.
        .target(name: "StratusCAllocations"),
        // Calls into the SDK when a program is loaded.
        .target(name: "StratusCLibraryLoad"),
        // What Swift's view of glibc leaves out.
        .systemLibrary(name: "StratusCFiles"),
        // What StratusUbiquity needs of glibc that Swift's view of it leaves out, and a call when a program is loaded.
        .target(name: "StratusCUbiquity"),
        // Shows the bytes that libmicrohttpd receives, in the place of the functions that it receives them with.
        .target(name: "StratusCReceivedBytes", linkerSettings: [.linkedLibrary("gnutls")]),

        module("StratusWorkers", settings: serving),
        module("StratusTelemetry", imports: ["StratusWorkers"]),
        module("StratusCloudCrypto", imports: ["StratusCOpenSSL", "StratusCSodium", "StratusWorkers"]),
        module("StratusCloudModel"),
        module("StratusSQLite", imports: ["StratusCSQLite"]),
        module("StratusCloudWire", imports: ["StratusCloudModel", "StratusCPlainText"]),
        module(
            "StratusCloudStore", imports: ["StratusCLevelDB", "StratusCSQLite", "StratusWorkers"], settings: serving),
        module("StratusCloudAssets", imports: ["StratusCFiles", "StratusWorkers"]),
        module("StratusBackups", imports: ["StratusCFiles", "StratusCloudCrypto", "StratusCloudStore"]),
        module(
            "StratusCloudService",
            imports: [
                "StratusCloudModel", "StratusCloudStore", "StratusCloudAssets", "StratusCloudCrypto", "StratusCICU",
                "StratusWorkers",
            ],
            settings: serving),
        module(
            "StratusHTTPTransport", imports: ["StratusCMicroHTTPD", "StratusCReceivedBytes", "StratusWorkers"],
            settings: serving),
        module("StratusHTTPClient", imports: ["StratusCCurl", "StratusWorkers"]),
        module("StratusDeviceCredentials"),
        module("StratusXML", imports: ["StratusCExpat"]),
        module("StratusModelFiles", imports: ["StratusXML"]),
        module("StratusModelCode", imports: ["StratusModelFiles"]),
        .executableTarget(
            name: "stratus-model-tool", dependencies: ["StratusModelCode", "StratusModelFiles"],
            path: "Sources/StratusModelTool", swiftSettings: strict),
        .plugin(name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: ["stratus-model-tool"]),
        .plugin(name: "CoreDataSourcesPlugin", capability: .buildTool(), dependencies: ["stratus-model-tool"]),
        module("StratusWebDAV", imports: ["StratusCloudModel", "StratusXML"]),
        module(
            "StratusPushChannels",
            imports: [
                "StratusCloudModel", "StratusCloudWire", "StratusCloudService", "StratusCloudCrypto",
                "StratusHTTPClient", "StratusWorkers",
            ]),
        module("StratusMailDelivery", imports: ["StratusCloudModel", "StratusCloudService", "StratusHTTPClient"]),
        module(
            "StratusCloudKit",
            imports: [
                "StratusCLibraryLoad", "StratusCloudCrypto", "StratusCloudModel", "StratusCloudWire",
                "StratusDeviceCredentials", "StratusHTTPClient", "StratusCompatibility",
                "StratusCoreLocation", "StratusObservation", "StratusWorkers",
            ]),
        // The module `CloudKit` of C has the submodules of `import CloudKit.CKRecord`; the one of Swift stands over it.
        .target(name: "StratusCCloudKitModules"),
        module("CloudKit", imports: ["StratusCCloudKitModules", "StratusCloudKit"]),
        module(
            "StratusServiceTransport",
            imports: [
                "StratusCloudModel", "StratusCloudService", "StratusCloudAssets", "StratusCloudKit", "StratusWorkers",
            ]),
        module(
            "StratusTesting",
            imports: [
                "StratusCloudModel", "StratusCloudWire", "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudService", "StratusCloudCrypto", "StratusServiceTransport",
                "StratusCloudKit", "StratusWorkers",
            ]),
        module(
            "StratusUbiquity",
            imports: [
                "StratusCUbiquity", "StratusCZlib", "StratusCloudCrypto", "StratusCloudKit", "StratusCloudModel",
                "StratusCompatibility",
                "StratusDeviceCredentials", "StratusSQLite", "StratusWorkers",
            ]),
        module(
            "StratusDriveMount",
            imports: [
                "StratusCFUSE", "StratusCloudCrypto", "StratusCloudKit", "StratusCloudModel", "StratusCloudService",
                "StratusDeviceCredentials", "StratusSQLite", "StratusUbiquity", "StratusWorkers",
            ]),
        module("StratusCommandLine"),
        module(
            "StratusCloudServer",
            imports: [
                "StratusBackups", "StratusCZlib", "StratusCloudModel", "StratusCloudWire", "StratusCloudService",
                "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudCrypto", "StratusHTTPTransport", "StratusTelemetry", "StratusWebDAV", "StratusWorkers",
                "StratusXML",
            ], settings: serving),
        module("StratusCoreLocation", imports: ["StratusCloudModel"]),
        module("StratusLogging"),
        // The module `os` of C has the submodules of `import os.log` and `os.lock`; the one of Swift stands over it.
        .target(name: "StratusCLogModules"),
        module("os", imports: ["StratusCLogModules", "StratusLogging"]),
        module("OSLog", imports: ["StratusLogging"]),
        module("StratusObservation", imports: ["StratusWorkers"]),
        module("StratusCombine", imports: ["StratusObservation"]),
        module("Combine", imports: ["StratusCombine", "StratusObservation"]),
        module("CoreLocation", imports: ["StratusCoreLocation"]),
        module("UIKit", imports: ["StratusUbiquity"]),
        module("StratusCompatibility", imports: ["StratusCoreLocation"]),
        module(
            "StratusCoreData",
            imports: [
                "StratusCZlib", "StratusCloudCrypto", "StratusCompatibility", "StratusCoreLocation",
                "StratusDeviceCredentials", "StratusModelFiles", "StratusObservation", "StratusSQLite", "StratusXML",
            ]),
        module(
            "StratusCoreDataMirroring",
            imports: [
                "StratusCloudCrypto", "StratusCloudKit", "StratusCompatibility", "StratusCoreData",
                "StratusDeviceCredentials", "StratusLogging", "StratusSQLite", "StratusWorkers",
            ]),
        // The module `CoreData` of C has the submodules of `import CoreData.NSManagedObject`, as that of `CloudKit` has.
        .target(name: "StratusCCoreDataModules"),
        module(
            "CoreData",
            imports: [
                "StratusCCoreDataModules", "StratusCompatibility", "StratusCoreData", "StratusCoreDataMirroring",
            ]),
        module(
            "StratusTool",
            imports: [
                "StratusBackups", "StratusCFiles", "StratusCProgramMemory", "StratusCloudModel", "StratusCloudWire",
                "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudService",
                "StratusCloudCrypto", "StratusCloudServer",
                "StratusPushChannels", "StratusMailDelivery", "StratusHTTPTransport", "StratusHTTPClient",
                "StratusCommandLine", "StratusCoreDataMirroring", "StratusDeviceCredentials", "StratusDriveMount",
                "StratusTelemetry", "StratusUbiquity",
                "StratusWorkers",
            ]),
        .executableTarget(
            name: "stratus", dependencies: ["StratusTool"], swiftSettings: strict,
            // In the place of the system's allocator: an eighth less CPU time for each request.
            linkerSettings: [.linkedLibrary("jemalloc")]),
        .executableTarget(
            name: "stratus-fuzz",
            dependencies: [
                "StratusCloudModel", "StratusCloudWire", "StratusCloudStore", "StratusCloudService", "StratusCloudKit",
                "StratusCompatibility", "StratusCoreData", "StratusWebDAV",
                "StratusWorkers", "StratusXML",
            ],
            path: "Fuzz", swiftSettings: strict),
        .executableTarget(
            name: "stratus-bench",
            dependencies: [
                "StratusCommandLine", "StratusCAllocations", "StratusCCurl", "StratusCLevelDB", "StratusCSQLite",
                "CloudKit", "CoreData", "StratusCloudModel", "StratusCompatibility", "StratusCoreData",
                "StratusCoreDataMirroring", "StratusHTTPClient",
                "StratusTesting", "StratusUbiquity", "StratusWorkers",
            ],
            path: "Benchmarks", swiftSettings: strict),

        tests(of: "StratusWorkers", imports: ["StratusWaiting"]),
        tests(of: "StratusCloudModel"),
        tests(of: "StratusCloudAssets", imports: ["StratusWorkers"]),
        tests(
            of: "StratusCloudService",
            imports: [
                "StratusCloudModel", "StratusCloudWire", "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudCrypto", "StratusTestSupport", "StratusWaiting",
                "StratusWorkers",
            ]),
        tests(
            of: "StratusCloudStore",
            imports: ["StratusCLevelDB", "StratusCrashWriter", "StratusCSQLite", "StratusWaiting", "StratusWorkers"]),
        tests(of: "StratusCloudCrypto", imports: ["StratusCloudModel"]),
        tests(of: "StratusCloudWire", imports: ["StratusCloudModel"]),
        tests(of: "StratusCoreLocation", imports: ["CoreLocation"]),
        tests(of: "StratusCompatibility", imports: ["StratusCoreLocation"]),
        tests(
            of: "StratusCoreData",
            imports: ["StratusCoreLocation", "StratusModelFiles", "StratusStoreWriter", "StratusStoreWriting"]),
        tests(
            of: "StratusCoreDataMirroring",
            imports: [
                "stratus", "CloudKit", "CoreData", "StratusCloudModel", "StratusCoreData", "StratusDeviceCredentials",
                "StratusMirrorEvents", "StratusMirrorHistories", "StratusSQLite", "StratusTesting",
                "StratusTestSupport", "StratusWaiting", "StratusWorkers",
            ]),
        tests(of: "StratusLogging", imports: ["OSLog", "os"]),
        tests(of: "StratusObservation"),
        tests(of: "StratusCombine", imports: ["Combine", "CloudKit"]),
        tests(
            of: "StratusCloudKit",
            imports: [
                "CloudKit", "StratusDeviceCredentials", "StratusServiceTransport", "StratusSyncHistories",
                "StratusTesting", "StratusTestSupport", "StratusCloudModel",
                "StratusCloudService", "StratusCloudStore", "StratusCloudCrypto", "StratusHTTPClient",
                "StratusTestClient", "StratusWorkers", "stratus",
            ]),
        // Programs in the language mode of Swift 5, whose closures may capture anything.
        .testTarget(
            name: "StratusCloudKitSwift5Tests", dependencies: ["CloudKit"], path: "Tests/StratusCloudKitSwift5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        tests(
            of: "StratusTesting", imports: ["CloudKit", "StratusCloudMaker", "StratusTestSupport", "StratusWorkers"]),
        tests(
            of: "StratusUbiquity",
            imports: [
                "StratusCloudKit", "StratusCloudModel", "StratusDriveClient", "StratusDriveHistories",
                "StratusFileCoordinator", "StratusKeyValueClient", "StratusSQLite",
                "StratusTesting", "StratusTestSupport", "StratusWaiting", "StratusWorkers", "stratus",
            ]),
        tests(
            of: "StratusDriveMount",
            imports: [
                "StratusCloudKit", "StratusCloudModel", "StratusTesting", "StratusTestSupport", "StratusWorkers",
            ]),
        // What the documents that Stratus stands for say of it: Tests/Documents/README.md.
        .testTarget(
            name: "DocumentsTests",
            dependencies: [
                "CloudKit", "CoreData", "StratusMirrorEvents", "StratusTesting", "StratusTestSupport",
                "StratusUbiquity", "StratusWaiting", "StratusWorkers", "UIKit",
            ],
            path: "Tests/Documents",
            exclude: ["README.md"], swiftSettings: strict),
        tests(of: "StratusTelemetry", imports: ["StratusWorkers"]),
        tests(
            of: "StratusPushChannels",
            imports: [
                "StratusCloudModel", "StratusCloudService", "StratusCloudStore", "StratusCloudWire",
                "StratusCloudCrypto", "StratusHTTPTransport", "StratusWorkers",
            ]),
        tests(of: "StratusCommandLine"),
        tests(of: "StratusSQLite", imports: ["StratusTestSupport"]),
        tests(of: "StratusWebDAV", imports: ["StratusXML"]),
        tests(of: "StratusXML"),
        tests(of: "StratusModelFiles", imports: ["StratusXML"]),
        tests(of: "StratusModelCode", imports: ["StratusModelFiles"]),
        // A model and classes as Xcode writes them, through both plugins of Core Data.
        .testTarget(
            name: "CoreDataPluginTests", dependencies: ["CoreData"], path: "Tests/CoreDataPlugins",
            exclude: ["Xcode"], swiftSettings: strict,
            plugins: ["CoreDataModelPlugin", "CoreDataSourcesPlugin"]),
        // The same in the language mode of Swift 5, whose closures may capture anything.
        .testTarget(
            name: "CoreDataSwift5Tests", dependencies: ["CoreData"], path: "Tests/CoreDataSwift5",
            exclude: ["Xcode"], swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: ["CoreDataModelPlugin", "CoreDataSourcesPlugin"]),
        tests(of: "StratusHTTPClient", imports: ["StratusWorkers"]),
        tests(of: "StratusDeviceCredentials", imports: ["StratusTestSupport", "StratusWaiting", "StratusWorkers"]),
        tests(of: "StratusHTTPTransport", imports: ["StratusTestSupport", "StratusWaiting", "StratusWorkers"]),
        tests(
            of: "StratusCloudServer",
            imports: [
                "StratusCZlib", "StratusCloudModel", "StratusCloudService", "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudCrypto", "StratusHTTPTransport",
                "StratusTelemetry", "StratusWaiting", "StratusWorkers",
            ]),
        tests(
            of: "StratusTool",
            imports: [
                "stratus", "CloudKit", "CoreData", "StratusBackups", "StratusCProgramMemory", "StratusCommandLine",
                "StratusCloudModel",
                "StratusCloudWire", "StratusCloudCrypto",
                "StratusCloudService",
                "StratusCloudStore", "StratusCloudAssets",
                "StratusCloudServer", "StratusTesting", "StratusTestSupport", "StratusWaiting", "StratusWorkers",
            ]),
        .executableTarget(
            name: "StratusCrashWriter", dependencies: ["StratusCloudStore"], path: "Tests/Support/CrashWriter",
            swiftSettings: strict),
        .target(
            name: "StratusStoreWriting", dependencies: ["StratusCoreData"], path: "Tests/Support/StoreWriting",
            swiftSettings: strict),
        .executableTarget(
            name: "StratusStoreWriter", dependencies: ["StratusCoreData", "StratusSeeds", "StratusStoreWriting"],
            path: "Tests/Support/StoreWriter", swiftSettings: strict),
        .executableTarget(
            name: "StratusKeyValueClient", dependencies: ["StratusUbiquity"], path: "Tests/Support/KeyValueClient",
            swiftSettings: strict),
        .executableTarget(
            name: "StratusDriveClient", dependencies: ["StratusUbiquity"], path: "Tests/Support/DriveClient",
            swiftSettings: strict),
        .executableTarget(
            name: "StratusFileCoordinator", dependencies: ["StratusUbiquity"], path: "Tests/Support/FileCoordinator",
            swiftSettings: strict),
        .executableTarget(
            name: "StratusCloudMaker", dependencies: ["CloudKit", "StratusTesting"], path: "Tests/Support/CloudMaker",
            swiftSettings: strict),
        // Here, and not in a test target, because they run as a release build, too.
        .target(
            name: "StratusDriveHistories",
            dependencies: [
                "StratusCloudCrypto", "StratusCloudKit", "StratusCloudModel", "StratusSeeds", "StratusSQLite",
                "StratusTesting", "StratusTestSupport", "StratusUbiquity", "StratusWorkers",
            ],
            path: "Tests/Support/DriveHistories", swiftSettings: strict),
        .executableTarget(
            name: "StratusDriveSimulator",
            dependencies: ["StratusDriveHistories", "StratusSeeds", "StratusTestSupport"],
            path: "Tests/Support/DriveSimulator", swiftSettings: strict),
        // Here for the same reason.
        .target(
            name: "StratusMirrorHistories",
            dependencies: [
                "CloudKit", "CoreData", "StratusCoreDataMirroring", "StratusSQLite", "StratusSeeds", "StratusTesting",
                "StratusTestSupport", "StratusWorkers",
            ],
            path: "Tests/Support/MirrorHistories", swiftSettings: strict),
        .executableTarget(
            name: "StratusMirrorSimulator", dependencies: ["StratusMirrorHistories", "StratusSeeds"],
            path: "Tests/Support/MirrorSimulator", swiftSettings: strict),
        // Here for the same reason.
        .target(
            name: "StratusSyncHistories",
            dependencies: ["CloudKit", "StratusCloudKit", "StratusSeeds", "StratusTesting", "StratusWorkers"],
            path: "Tests/Support/SyncHistories", swiftSettings: strict),
        .executableTarget(
            name: "StratusSyncSimulator", dependencies: ["StratusSeeds", "StratusSyncHistories"],
            path: "Tests/Support/SyncSimulator", swiftSettings: strict),
        .executableTarget(
            name: "StratusTestClient", dependencies: ["CloudKit"], path: "Tests/Support/TestClient",
            swiftSettings: strict),
        .target(
            name: "StratusTestSupport",
            dependencies: [
                "StratusHTTPClient", "StratusCloudModel", "StratusCloudCrypto", "StratusWaiting", "StratusWorkers",
            ],
            path: "Tests/Support",
            exclude: [
                "CloudMaker", "CrashWriter", "DriveClient", "DriveHistories", "DriveSimulator", "FileCoordinator",
                "KeyValueClient", "MirrorEvents", "MirrorHistories", "MirrorSimulator", "Seeds", "StoreWriter",
                "StoreWriting",
                "SyncHistories", "SyncSimulator",
                "TestClient", "Waiting",
            ],
            swiftSettings: strict),
        .target(name: "StratusSeeds", path: "Tests/Support/Seeds", swiftSettings: strict),
        .target(
            name: "StratusMirrorEvents", dependencies: ["CoreData", "StratusWaiting"],
            path: "Tests/Support/MirrorEvents", swiftSettings: strict),
        .target(name: "StratusWaiting", path: "Tests/Support/Waiting", swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "StratusTestSupport", "StratusDeviceCredentials", "StratusHTTPClient", "StratusCloudModel",
                "StratusCloudCrypto", "StratusSeeds", "StratusWaiting",
                "StratusWorkers", "stratus",
            ],
            path: "Tests/Conformance", exclude: ["README.md"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
