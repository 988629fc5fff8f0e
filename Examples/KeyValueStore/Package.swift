// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "KeyValueStore",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .executableTarget(
            name: "KeyValueStore",
            dependencies: [
                .product(name: "StratusUbiquity", package: "stratus", condition: .when(platforms: [.linux]))
            ])
    ],
    swiftLanguageModes: [.v6]
)
