// swift-tools-version: 6.1

import PackageDescription

// The build compiles the schemas of both targets.
let package = Package(
  name: "PluginExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [
    .target(
      name: "DesignModels",
      dependencies: [.product(name: "DflatKV", package: "DflatKV")],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
    .executableTarget(
      name: "PluginExample",
      dependencies: ["DesignModels", .product(name: "DflatKV", package: "DflatKV")],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")]),
  ]
)
