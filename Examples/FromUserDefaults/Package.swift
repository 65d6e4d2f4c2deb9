// swift-tools-version: 6.1

import PackageDescription

// In your own package, use .package(url: …) instead of the path.
let package = Package(
  name: "FromUserDefaults",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "player-before", targets: ["Before"]),
    .executable(name: "player-after", targets: ["After"]),
  ],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [
    .executableTarget(name: "Before"),
    .executableTarget(
      name: "After",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatUserDefaults", package: "DflatKV"),  // the import of the earlier values
      ]),
  ],
  swiftLanguageModes: [.v6]
)
