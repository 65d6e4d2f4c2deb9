// swift-tools-version: 6.1

import PackageDescription

// In your own package, use .package(url: …) instead of the path.
let package = Package(
  name: "NewsReader",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "newsreader", targets: ["NewsReader"])],
  dependencies: [
    .package(name: "DflatKV", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "NewsReader",
      dependencies: [
        .product(name: "DflatCombine", package: "DflatKV"),  // publishers, for the live list
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")])
  ],
  swiftLanguageModes: [.v6]
)
