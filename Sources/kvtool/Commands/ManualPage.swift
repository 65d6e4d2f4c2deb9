import ArgumentParser

/// The manual page. Its text about commands is their help, so the two never differ.
enum ManualPage {
  static func text() -> String {
    let configuration = KVTool.configuration
    var page = """
      .TH KVTOOL 1 "" "kvtool \(configuration.version)" "User Commands"
      .SH NAME
      kvtool \\- \(escaped(configuration.abstract))
      .SH SYNOPSIS
      .B kvtool
      .I command
      [\\fIoptions\\fR] [\\fIarguments\\fR]
      .SH DESCRIPTION
      Values go to standard output, everything else to standard error. The database is one SQLite file; other programs
      may have it open at the same time. Without a command, a terminal gets the shell. Options may stand before or after the arguments; \\-\\- ends them. Only set, incr,
      txn and import create a missing file, and the folder of a named one only with \\-\\-create. Arguments must be UTF\\-8.
      .SH COMMANDS

      """
    // The commands with the text of their help.
    for command in configuration.subcommands where command.configuration.shouldDisplay {
      let name = command.configuration.commandName ?? ""
      page += section(name, of: command)
      for subcommand in command.configuration.subcommands {
        page += section("\(name) \(subcommand.configuration.commandName ?? "")", of: subcommand)
      }
    }
    return page + closing
  }

  private static func section(_ title: String, of command: any ParsableCommand.Type) -> String {
    let help = KVTool.helpMessage(for: command, columns: 76)
    return ".SS \(title)\n.nf\n\(escaped(help))\n.fi\n"
  }

  private static let closing = """
    .SH ENVIRONMENT
    .TP
    .B KVTOOL_DB
    The database file, if \\-\\-db is not given.
    .TP
    .B KVTOOL_NAMESPACE
    The namespace, if \\-\\-namespace is not given.
    .TP
    .B KVTOOL_SEAL_KEY, KVTOOL_OLD_SEAL_KEY
    The key of a sealed namespace, if \\-\\-seal\\-key\\-fd is not given, and for kvtool seal its present one.
    .TP
    .B XDG_DATA_HOME
    The folder of kvtool/default.db, if neither \\-\\-db nor KVTOOL_DB is given. Its default is ~/.local/share.
    .TP
    .B KVTOOL_HISTORY
    The file of the shell's history; an empty one turns it off. Its default is kvtool/history in the folder that
    XDG_STATE_HOME names, or else ~/.local/state.
    .TP
    .B ETCDCTL_USER, ETCDCTL_PASSWORD, ETCDCTL_CACERT, ETCDCTL_CERT, ETCDCTL_KEY
    The user and the certificates for the cluster of a file that is a replica, as for etcdctl.
    .TP
    .B ETCDCTL_ENDPOINTS
    The URLs of the cluster's members, if they are no longer those that the file remembers.
    .SH EXIT STATUS
    .nf
    0   done
    1   other error, such as a missing file
    2   key absent
    3   condition not met (\\-\\-if\\-absent, \\-\\-if\\-value, expect, rename)
    4   busy: another process held the lock past the timeout
    5   the file is not a database, is corrupt, or has a newer format
    64  usage
    .fi
    .SH SEE ALSO
    .BR sqlite3 (1)

    """

  /// Escapes text that roff would read as requests or escapes.
  static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let escaped = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }.joined(separator: "\n")
  }
}
