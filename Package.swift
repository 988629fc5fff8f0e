// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

/// A library room of the house plan (Documentation/architecture.md) and the rooms it may import.
func room(_ name: String, imports: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: strict)
}

/// The tests of one room, in a folder of the same name.
func tests(of name: String, imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.target(name: name)] + imports, path: "Tests/" + name,
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
        // shared library, whose checksum, without the processor's instruction, could not be replaced.
        .target(name: "CLevelDB", linkerSettings: [.linkedLibrary(":libleveldb.a"), .linkedLibrary("snappy")]),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        // What Swift's view of glibc leaves out.
        .systemLibrary(name: "CFiles"),

        room("Workers"),
        room("Telemetry", imports: ["Workers"]),
        room("CloudCrypto", imports: ["COpenSSL", "CSodium", "Workers"]),
        room("CloudModel"),
        room("CloudWire", imports: ["CloudModel"]),
        room("CloudStore", imports: ["CLevelDB", "CSQLite", "Workers"]),
        room("CloudAssets", imports: ["CFiles", "Workers"]),
        room("CloudService", imports: ["CloudModel", "CloudStore", "CloudAssets", "CloudCrypto", "CICU", "Workers"]),
        room("HTTPTransport", imports: ["CMicroHTTPD", "Workers"]),
        room("HTTPClient", imports: ["CCurl", "Workers"]),
        room("DeviceCredentials"),
        room(
            "PushChannels",
            imports: ["CloudModel", "CloudWire", "CloudService", "CloudCrypto", "HTTPClient", "Workers"]),
        room(
            "StratusCloudKit",
            imports: [
                "CloudModel", "CloudWire", "DeviceCredentials", "HTTPClient", "StratusCompatibility",
                "StratusCoreLocation", "Workers",
            ]),
        room("CloudKit", imports: ["StratusCloudKit"]),
        room("ServiceTransport", imports: ["CloudModel", "CloudService", "CloudAssets", "StratusCloudKit"]),
        room("CommandLine"),
        room(
            "CloudServer",
            imports: [
                "CloudModel", "CloudWire", "CloudService", "CloudStore", "CloudAssets", "CloudCrypto", "HTTPTransport",
                "Telemetry", "Workers",
            ]),
        room("StratusCoreLocation", imports: ["CloudModel"]),
        room("CoreLocation", imports: ["StratusCoreLocation"]),
        room("StratusCompatibility", imports: ["StratusCoreLocation"]),
        room(
            "StratusTool",
            imports: [
                "CloudModel", "CloudWire", "CloudStore", "CloudAssets", "CloudService", "CloudCrypto", "CloudServer",
                "PushChannels", "HTTPTransport", "HTTPClient", "CommandLine", "DeviceCredentials", "Telemetry",
                "Workers",
            ]),
        .executableTarget(
            name: "stratus", dependencies: ["StratusTool"], swiftSettings: strict,
            // In the place of the system's allocator: an eighth less CPU time for each request.
            linkerSettings: [.linkedLibrary("jemalloc")]),
        .executableTarget(
            name: "stratus-fuzz",
            dependencies: [
                "CloudModel", "CloudWire", "CloudStore", "CloudService", "StratusCompatibility", "Workers",
            ],
            path: "Fuzz", swiftSettings: strict),
        .executableTarget(
            name: "stratus-bench", dependencies: ["CommandLine", "CCurl", "CLevelDB", "CSQLite", "Workers"],
            path: "Benchmarks",
            swiftSettings: strict),

        tests(of: "Workers"),
        tests(of: "CloudModel"),
        tests(of: "CloudAssets", imports: ["Workers"]),
        tests(of: "CloudService", imports: ["CloudModel", "CloudStore", "CloudAssets", "CloudCrypto", "Workers"]),
        tests(of: "CloudStore", imports: ["CrashWriter", "CSQLite", "Workers"]),
        tests(of: "CloudCrypto", imports: ["CloudModel"]),
        tests(of: "CloudWire", imports: ["CloudModel"]),
        tests(of: "StratusCoreLocation", imports: ["CoreLocation"]),
        tests(of: "StratusCompatibility", imports: ["StratusCoreLocation"]),
        tests(
            of: "StratusCloudKit",
            imports: [
                "CloudKit", "DeviceCredentials", "ServiceTransport", "TestSupport", "CloudModel", "CloudService",
                "CloudStore",
                "CloudCrypto", "HTTPClient", "TestClient", "Workers", "stratus",
            ]),
        tests(of: "Telemetry", imports: ["Workers"]),
        tests(
            of: "PushChannels",
            imports: [
                "CloudModel", "CloudService", "CloudStore", "CloudWire", "CloudCrypto", "HTTPTransport", "Workers",
            ]),
        tests(of: "CommandLine"),
        tests(of: "HTTPClient", imports: ["Workers"]),
        tests(of: "DeviceCredentials", imports: ["TestSupport", "Workers"]),
        tests(of: "HTTPTransport", imports: ["Workers"]),
        tests(
            of: "CloudServer",
            imports: [
                "CloudModel", "CloudService", "CloudStore", "CloudAssets", "CloudCrypto", "HTTPTransport", "Telemetry",
                "Workers",
            ]),
        tests(
            of: "StratusTool",
            imports: [
                "stratus", "CloudModel", "CloudWire", "CloudCrypto", "CloudService", "CloudStore", "CloudAssets",
                "CloudServer", "Workers",
            ]),
        .executableTarget(
            name: "CrashWriter", dependencies: ["CloudStore"], path: "Tests/Support/CrashWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "TestClient", dependencies: ["CloudKit"], path: "Tests/Support/TestClient",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["HTTPClient", "CloudModel", "CloudCrypto", "Workers"],
            path: "Tests/Support", exclude: ["CrashWriter", "TestClient"], swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "TestSupport", "DeviceCredentials", "HTTPClient", "CloudModel", "CloudCrypto", "Workers", "stratus",
            ],
            path: "Tests/Conformance", exclude: ["README.md"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
