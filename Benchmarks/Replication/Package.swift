// swift-tools-version: 6.1

import PackageDescription

// A package of its own, because it enables the trait `Etcd`: the other benchmarks need nothing that the trait fetches.
// `make bench-replication` runs it against three members of etcd on this computer.
let package = Package(
  name: "ReplicationBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The traits that the other package enables. SwiftPM resolves no dependencies if they differ.
    .package(
      name: "DflatKV", path: "../..",
      traits: ["Configuration", "Etcd", "Metrics", "Sealing", "ServiceLifecycle", "Tracing", "Web"]),
    .package(name: "EtcdTests", path: "../../Tests/EtcdTests"),
  ],
  targets: [
    .executableTarget(
      name: "ReplicationBenchmarks",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"), .product(name: "DflatEtcd", package: "DflatKV"),
        .product(name: "DflatReplication", package: "DflatKV"),
        .product(name: "EtcdTestSupport", package: "EtcdTests"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "DflatKV")])
  ],
  swiftLanguageModes: [.v6]
)
