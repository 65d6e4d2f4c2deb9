// swift-tools-version: 6.2

import PackageDescription

// In your own package, use .package(url: …, traits: ["ServiceLifecycle"]) instead of the path.
let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "poll-server", targets: ["PollServer"])],
  dependencies: [
    .package(name: "DflatKV", path: "../..", traits: ["ServiceLifecycle"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "PollServer",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatServiceLifecycle", package: "DflatKV"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
