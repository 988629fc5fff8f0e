// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
/// Of what answers requests: an asynchronous function runs where its caller does, instead of asking the runtime for a
/// place with each call and each return. Not of the SDK, whose callers may be on the main actor; what both use only waits.
let serving = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// A library room of the house plan (Documentation/architecture.md) and the rooms it may import.
func room(_ name: String, imports: [Target.Dependency] = [], settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: settings)
}

/// The tests of one room, in a folder of the same name.
func tests(of name: String, imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.target(name: name), "Seeds"] + imports, path: "Tests/" + name,
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
    ],
    targets: [
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
        system("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        // Of libicu-dev. Compiled, because ICU's headers may not meet Foundation's own copy of them in Swift.
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icuuc")]),
        // Of libleveldb-dev, which has no pkg-config file; its own C interface leaves too much out. The archive, not the
        // shared library, whose checksum, without the processor's instruction, and whose tables could not be replaced.
        .target(name: "CLevelDB", linkerSettings: [.linkedLibrary(":libleveldb.a"), .linkedLibrary("snappy")]),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        // Vectors of the processor, by C's names for them.
        .target(name: "CPlainText"),
        .target(name: "CProgramMemory"),
        // Counts allocations in the benchmark.
        .target(name: "CAllocations"),
        // What Swift's view of glibc leaves out.
        .systemLibrary(name: "CFiles"),

        room("Workers", settings: serving),
        room("Telemetry", imports: ["Workers"]),
        room("CloudCrypto", imports: ["COpenSSL", "CSodium", "Workers"]),
        room("CloudModel"),
        room("CloudWire", imports: ["CloudModel", "CPlainText"]),
        room("CloudStore", imports: ["CLevelDB", "CSQLite", "Workers"], settings: serving),
        room("CloudAssets", imports: ["CFiles", "Workers"]),
        room("Backups", imports: ["CFiles", "CloudCrypto", "CloudStore"]),
        room(
            "CloudService", imports: ["CloudModel", "CloudStore", "CloudAssets", "CloudCrypto", "CICU", "Workers"],
            settings: serving),
        room("HTTPTransport", imports: ["CMicroHTTPD", "Workers"], settings: serving),
        room("HTTPClient", imports: ["CCurl", "Workers"]),
        room("DeviceCredentials"),
        room(
            "PushChannels",
            imports: ["CloudModel", "CloudWire", "CloudService", "CloudCrypto", "HTTPClient", "Workers"]),
        room("MailDelivery", imports: ["CloudModel", "CloudService", "HTTPClient"]),
        room(
            "StratusCloudKit",
            imports: [
                "CloudCrypto", "CloudModel", "CloudWire", "DeviceCredentials", "HTTPClient", "StratusCompatibility",
                "StratusCoreLocation", "StratusObservation", "Workers",
            ]),
        // The module `CloudKit` of C has the submodules of `import CloudKit.CKRecord`; the one of Swift stands over it.
        .target(name: "CCloudKitModules"),
        room("CloudKit", imports: ["CCloudKitModules", "StratusCloudKit"]),
        room("ServiceTransport", imports: ["CloudModel", "CloudService", "CloudAssets", "StratusCloudKit", "Workers"]),
        room(
            "StratusTesting",
            imports: [
                "CloudModel", "CloudWire", "CloudStore", "CloudService", "CloudCrypto", "ServiceTransport",
                "StratusCloudKit", "Workers",
            ]),
        room("CommandLine"),
        room(
            "CloudServer",
            imports: [
                "Backups", "CZlib", "CloudModel", "CloudWire", "CloudService", "CloudStore", "CloudAssets",
                "CloudCrypto", "HTTPTransport", "Telemetry", "Workers",
            ], settings: serving),
        room("StratusCoreLocation", imports: ["CloudModel"]),
        room("StratusLogging"),
        // The module `os` of C has the submodule of `import os.log`; the one of Swift stands over it.
        .target(name: "CLogModules"),
        room("os", imports: ["CLogModules", "StratusLogging"]),
        room("OSLog", imports: ["StratusLogging"]),
        room("StratusObservation", imports: ["Workers"]),
        room("StratusCombine", imports: ["StratusObservation"]),
        room("Combine", imports: ["StratusCombine", "StratusObservation"]),
        room("CoreLocation", imports: ["StratusCoreLocation"]),
        room("StratusCompatibility", imports: ["StratusCoreLocation"]),
        room(
            "StratusTool",
            imports: [
                "Backups", "CFiles", "CProgramMemory", "CloudModel", "CloudWire", "CloudStore", "CloudAssets",
                "CloudService",
                "CloudCrypto", "CloudServer",
                "PushChannels", "MailDelivery", "HTTPTransport", "HTTPClient", "CommandLine", "DeviceCredentials",
                "Telemetry",
                "Workers",
            ]),
        .executableTarget(
            name: "stratus", dependencies: ["StratusTool"], swiftSettings: strict,
            // In the place of the system's allocator: an eighth less CPU time for each request.
            linkerSettings: [.linkedLibrary("jemalloc")]),
        .executableTarget(
            name: "stratus-fuzz",
            dependencies: [
                "CloudModel", "CloudWire", "CloudStore", "CloudService", "StratusCloudKit", "StratusCompatibility",
                "Workers",
            ],
            path: "Fuzz", swiftSettings: strict),
        .executableTarget(
            name: "stratus-bench",
            dependencies: [
                "CommandLine", "CAllocations", "CCurl", "CLevelDB", "CSQLite", "CloudKit", "CloudModel", "HTTPClient",
                "StratusTesting", "Workers",
            ],
            path: "Benchmarks", swiftSettings: strict),

        tests(of: "Workers", imports: ["Waiting"]),
        tests(of: "CloudModel"),
        tests(of: "CloudAssets", imports: ["Workers"]),
        tests(
            of: "CloudService",
            imports: [
                "CloudModel", "CloudWire", "CloudStore", "CloudAssets", "CloudCrypto", "TestSupport", "Waiting",
                "Workers",
            ]),
        tests(of: "CloudStore", imports: ["CLevelDB", "CrashWriter", "CSQLite", "Waiting", "Workers"]),
        tests(of: "CloudCrypto", imports: ["CloudModel"]),
        tests(of: "CloudWire", imports: ["CloudModel"]),
        tests(of: "StratusCoreLocation", imports: ["CoreLocation"]),
        tests(of: "StratusCompatibility", imports: ["StratusCoreLocation"]),
        tests(of: "StratusLogging", imports: ["OSLog", "os"]),
        tests(of: "StratusObservation"),
        tests(of: "StratusCombine", imports: ["Combine", "CloudKit"]),
        tests(
            of: "StratusCloudKit",
            imports: [
                "CloudKit", "DeviceCredentials", "ServiceTransport", "StratusTesting", "TestSupport", "CloudModel",
                "CloudService", "CloudStore", "CloudCrypto", "HTTPClient", "TestClient", "Workers", "stratus",
            ]),
        // Programs in the language mode of Swift 5, whose closures may capture anything.
        .testTarget(
            name: "StratusCloudKitSwift5Tests", dependencies: ["CloudKit"], path: "Tests/StratusCloudKitSwift5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        tests(of: "StratusTesting", imports: ["CloudKit", "CloudMaker", "TestSupport", "Workers"]),
        tests(of: "Telemetry", imports: ["Workers"]),
        tests(
            of: "PushChannels",
            imports: [
                "CloudModel", "CloudService", "CloudStore", "CloudWire", "CloudCrypto", "HTTPTransport", "Workers",
            ]),
        tests(of: "CommandLine"),
        tests(of: "HTTPClient", imports: ["Workers"]),
        tests(of: "DeviceCredentials", imports: ["TestSupport", "Workers"]),
        tests(of: "HTTPTransport", imports: ["Waiting", "Workers"]),
        tests(
            of: "CloudServer",
            imports: [
                "CZlib", "CloudModel", "CloudService", "CloudStore", "CloudAssets", "CloudCrypto", "HTTPTransport",
                "Telemetry", "Waiting", "Workers",
            ]),
        tests(
            of: "StratusTool",
            imports: [
                "stratus", "Backups", "CProgramMemory", "CommandLine", "CloudModel", "CloudWire", "CloudCrypto",
                "CloudService",
                "CloudStore", "CloudAssets",
                "CloudServer", "Workers",
            ]),
        .executableTarget(
            name: "CrashWriter", dependencies: ["CloudStore"], path: "Tests/Support/CrashWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "CloudMaker", dependencies: ["CloudKit", "StratusTesting"], path: "Tests/Support/CloudMaker",
            swiftSettings: strict),
        .executableTarget(
            name: "TestClient", dependencies: ["CloudKit"], path: "Tests/Support/TestClient",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["HTTPClient", "CloudModel", "CloudCrypto", "Waiting", "Workers"],
            path: "Tests/Support", exclude: ["CloudMaker", "CrashWriter", "Seeds", "TestClient", "Waiting"],
            swiftSettings: strict),
        .target(name: "Seeds", path: "Tests/Support/Seeds", swiftSettings: strict),
        .target(name: "Waiting", path: "Tests/Support/Waiting", swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "TestSupport", "DeviceCredentials", "HTTPClient", "CloudModel", "CloudCrypto", "Seeds", "Waiting",
                "Workers", "stratus",
            ],
            path: "Tests/Conformance", exclude: ["README.md"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
