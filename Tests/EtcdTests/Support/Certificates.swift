import Foundation

/// A certificate authority, a server's certificate for 127.0.0.1, and a client's, made by openssl.
public struct Certificates: Sendable {
  public let authority, server, serverKey, client, clientKey: String

  public init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func path(_ name: String) -> String { folder.appending(path: name).path() }
    authority = path("ca.pem")
    (server, serverKey) = (path("server.pem"), path("server.key"))
    (client, clientKey) = (path("client.pem"), path("client.key"))
    try Self.run(
      """
      cd '\(folder.path())'
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tests -keyout ca.key -out ca.pem
      for name in server client; do
        openssl req -newkey rsa:2048 -nodes -subj /CN=$name -keyout $name.key -out $name.csr
        printf 'subjectAltName=IP:127.0.0.1\\nextendedKeyUsage=serverAuth,clientAuth\\n' > $name.ext
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem
      done
      """)
  }

  private static func run(_ script: String) throws {
    let shell = try ChildProcess(["sh", "-e", "-c", script])
    guard shell.wait() == 0 else { throw ClusterError("openssl fails: run make deps-etcd") }
  }
}
