// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "ReadingList",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "DflatKV", path: "../..")],
  targets: [
    .executableTarget(
      name: "ReadingList",
      dependencies: [.product(name: "DflatKV", package: "DflatKV")],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")])
  ]
)
