// swift-tools-version: 6.1

import PackageDescription

// In your own package, use .package(url: …) instead of the path.
let package = Package(
  name: "SettingsExample",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "player", targets: ["Player"])],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [.executableTarget(name: "Player", dependencies: [.product(name: "DflatKV", package: "DflatKV")])],
  swiftLanguageModes: [.v6]
)
