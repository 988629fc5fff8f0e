// swift-tools-version: 6.1
import PackageDescription

let apple: [Target.Dependency] = [
    .product(name: "CloudKit", package: "stratus", condition: .when(platforms: [.linux])),
    .product(name: "CoreData", package: "stratus", condition: .when(platforms: [.linux])),
]

let package = Package(
    name: "SharedPosts",
    dependencies: [.package(name: "stratus", path: "../..")],
    targets: [
        .target(
            name: "PostSharing", dependencies: apple,
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "stratus")]),
        .executableTarget(name: "SharedPosts", dependencies: ["PostSharing"]),
        .testTarget(
            name: "PostSharingTests",
            dependencies: ["PostSharing", .product(name: "StratusTesting", package: "stratus")]),
    ],
    swiftLanguageModes: [.v6]
)
