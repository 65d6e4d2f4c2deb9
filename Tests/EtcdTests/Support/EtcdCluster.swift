import DflatEtcd
import Foundation

/// Members of a new cluster on this computer, whose folders are deleted with it.
public final class EtcdCluster: Sendable {
  public let members: [EtcdMember]
  /// For each member, the link by which the others reach it; empty unless the cluster was made with links. Members send
  /// most of their messages in answer to a connection of the receiver's, so a link that is cut from its member keeps the
  /// member from being heard.
  public let peerLinks: [Link]
  private let folder: URL

  public var endpoints: [String] { members.map(\.endpoint) }

  /// Starts a cluster. Returns before it answers (``waitUntilReady(_:)``).
  ///
  /// - Parameters:
  ///   - quota: The largest size of the database, in bytes; nil for etcd's default.
  ///   - certificates: Makes members and clients prove who they are.
  public convenience init(members count: Int = 3, quota: Int? = nil, certificates: Certificates? = nil) throws {
    try self.init(Self.freePorts(count), links: [], quota: quota, certificates: certificates)
  }

  /// Starts a cluster whose members reach each other by links. Returns before it answers.
  public convenience init(linkedMembers count: Int, quota: Int? = nil) async throws {
    let ports = try Self.freePorts(count)
    var links: [Link] = []
    for port in ports { links.append(try await Link(toPort: port.peer)) }
    try self.init(ports, links: links, quota: quota, certificates: nil)
  }

  private init(_ ports: [Ports], links: [Link], quota: Int?, certificates: Certificates?) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    peerLinks = links
    let peers = ports.indices.map { "http://127.0.0.1:\(links.isEmpty ? ports[$0].peer : links[$0].port)" }
    let cluster = peers.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
    let scheme = certificates == nil ? "http" : "https"
    members = ports.enumerated().map { index, port in
      let endpoint = "\(scheme)://127.0.0.1:\(port.client)"
      var arguments = [
        "--name", "m\(index)", "--data-dir", folder.appending(path: "m\(index)").path(),
        "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
        "--listen-peer-urls", "http://127.0.0.1:\(port.peer)",
        "--initial-advertise-peer-urls", peers[index],
        "--initial-cluster", cluster, "--initial-cluster-token", folder.lastPathComponent,
      ]
      if let quota { arguments += ["--quota-backend-bytes", "\(quota)"] }
      if let certificates {
        arguments += [
          "--cert-file", certificates.server, "--key-file", certificates.serverKey,
          "--trusted-ca-file", certificates.authority, "--client-cert-auth",
        ]
      }
      return EtcdMember(arguments, endpoint: endpoint, port: port.client, log: folder.appending(path: "m\(index).log"))
    }
    for member in members { try member.start() }
  }

  // MARK: Copies of the data

  /// Copies what the members have printed to a folder.
  public func copyLogs(to copy: URL) throws {
    for index in members.indices {
      let name = "m\(index).log"
      try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.appending(path: name))
    }
  }

  /// Returns a folder that doesn't exist yet, and is deleted with the cluster.
  public func newFolder() -> URL { folder.appending(path: "\(UUID())") }

  private func data(of index: Int) -> URL { folder.appending(path: "m\(index)") }

  /// Copies the data of a member that doesn't run to a new folder.
  public func copyData(of index: Int, to copy: URL) throws {
    try FileManager.default.copyItem(at: data(of: index), to: copy)
  }

  /// Puts a copy in the place of the data of a member that doesn't run.
  public func replaceData(of index: Int, by copy: URL) throws {
    try FileManager.default.removeItem(at: data(of: index))
    try FileManager.default.copyItem(at: copy, to: data(of: index))
  }

  // MARK: Starting

  private typealias Ports = (client: Int, peer: Int)

  private static func freePorts(_ count: Int) throws -> [Ports] {
    try (0..<count).map { _ in (client: try freePort(), peer: try freePort()) }
  }

  deinit {
    for member in members { member.kill() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Waits until a client's reads are answered.
  public func waitUntilReady(_ configuration: EtcdConfiguration) async throws {
    var patient = configuration
    patient.requestTimeout = .seconds(120)
    try await withClient(patient) { _ = try await $0.get("ready") }
  }

  /// Returns the index of the member that leads.
  public func leader() async throws -> Int {
    try await withClient(EtcdConfiguration(endpoints: endpoints)) { (client) async throws in
      let statuses = await client.endpointStatuses()
      guard let index = statuses.firstIndex(where: { (try? $0.status.get())?.isLeader == true }) else {
        throw ClusterError("no member leads")
      }
      return index
    }
  }
}

/// Runs a closure with a client that is shut down afterwards.
public func withClient<Result>(
  _ configuration: EtcdConfiguration, _ body: (EtcdClient) async throws -> Result
) async throws -> Result {
  let client = try EtcdClient(configuration)
  do {
    let result = try await body(client)
    try await client.shutdown()
    return result
  } catch {
    try? await client.shutdown()
    throw error
  }
}

/// Returns a port on which nobody listens, outside of the range from which the system takes ports of connections: one of
/// those could be taken before the member listens.
private func freePort() throws -> Int {
  for _ in 0..<1_000 {
    let port = UInt16.random(in: 10_000..<32_000)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return Int(port) }
  }
  throw ClusterError("no port is free")
}
