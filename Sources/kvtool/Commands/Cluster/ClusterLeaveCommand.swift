import ArgumentParser
import DflatCore
import DflatKV

struct ClusterLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Take a file out of its cluster, with what it contains.",
    discussion: """
      The cluster isn't asked, and doesn't change: this also works when it is lost for good. The file's commits are its own \
      from then on. It can't return; make a new file with 'kvtool cluster join', or begin another cluster with 'kvtool \
      cluster seed'. Programs that have the file open as a replica fail with their next write.

      Example:
        kvtool cluster leave --db app.db
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let path = try options.path()
    let workspace = SQLiteWorkspace(
      filePath: path, options: OpenDatabase.options(timeout: options.timeout, access: .updating))
    defer { workspace.shutdown() }
    guard let membership = try workspace.leaveCluster() else {
      throw ToolError(.otherError, "\(path) belongs to no cluster")
    }
    try StandardOutput.write(line: StandardOutput.line(of: "left cluster \(membership.cluster)"))
  }
}
