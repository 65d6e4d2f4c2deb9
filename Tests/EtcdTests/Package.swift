// swift-tools-version: 6.1

import PackageDescription

// A package of its own, because it enables traits: the tests of DflatKV need nothing that these fetch. Most of its tests
// start etcd (`make deps-etcd`). Run `make test-etcd`, or those that don't: `make test-integrations` and `make test-web`.
let package = Package(
  name: "EtcdTests",
  platforms: [.macOS(.v15)],
  products: [
    // Also used by Benchmarks/Replication.
    .library(name: "EtcdTestSupport", targets: ["EtcdTestSupport"])
  ],
  dependencies: [
    .package(
      name: "DflatKV", path: "../..",
      traits: ["Configuration", "Etcd", "Metrics", "Sealing", "ServiceLifecycle", "Tracing", "Web"]),
    // Built here, because most of what it needs already is.
    .package(name: "Server", path: "../../Examples/Server"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.26.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    // Starts clusters, and endpoints that fail.
    .target(
      name: "EtcdTestSupport",
      dependencies: [
        .product(name: "DflatEtcd", package: "DflatKV"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Support"),
    .testTarget(
      name: "DflatEtcdTests",
      dependencies: [
        "EtcdTestSupport", .product(name: "DflatEtcd", package: "DflatKV"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "DflatEtcdTests"),
    .testTarget(
      name: "DflatReplicationTests",
      dependencies: [
        "EtcdTestSupport", .product(name: "DflatCore", package: "DflatKV"),
        .product(name: "DflatEtcd", package: "DflatKV"), .product(name: "DflatReplication", package: "DflatKV"),
      ],
      path: "DflatReplicationTests"),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"), .product(name: "DflatConfiguration", package: "DflatKV"),
        .product(name: "DflatMetrics", package: "DflatKV"),
        .product(name: "DflatServiceLifecycle", package: "DflatKV"),
        .product(name: "DflatTracing", package: "DflatKV"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ConfigurationTesting", package: "swift-configuration"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "poll-server", package: "Server"),
      ],
      path: "IntegrationTests"),
    .testTarget(
      name: "SealingTests",
      dependencies: [
        .product(name: "DflatKV", package: "DflatKV"), .product(name: "DflatSealing", package: "DflatKV"),
        .product(name: "kvtool", package: "DflatKV"),
      ],
      path: "SealingTests"),
    .testTarget(
      name: "WorkspaceTests",
      dependencies: [
        "EtcdTestSupport", .product(name: "DflatEtcd", package: "DflatKV"),
        .product(name: "DflatKV", package: "DflatKV"),
        .product(name: "DflatReplication", package: "DflatKV"), .product(name: "kvtool", package: "DflatKV"),
        .product(name: "DflatMetrics", package: "DflatKV"), .product(name: "StressWorker", package: "DflatKV"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      path: "WorkspaceTests"),
    // `kvtool web` by requests, and in headless Chromium (`make deps-web`).
    .testTarget(
      name: "WebTests",
      dependencies: [
        "EtcdTestSupport", .product(name: "DflatKV", package: "DflatKV"), .product(name: "kvtool", package: "DflatKV"),
      ],
      path: "WebTests", exclude: ["Models/article.fbs"]),
  ],
  swiftLanguageModes: [.v6]
)
