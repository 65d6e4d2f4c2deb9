#if Web
  import DflatKV
  import NIOHTTP1

  /// An error as the page shows it: the message that the commands print, and an HTTP status for their exit status.
  struct WebFailure: Error {
    let status: HTTPResponseStatus
    let message: String
    var column: Int?

    init(_ status: HTTPResponseStatus, _ message: String) {
      self.status = status
      self.message = message
    }

    init(_ error: any Error) {
      switch error {
      case let failure as WebFailure: self = failure
      case let mistake as TableReader.Mistake:
        self.init(.badRequest, Self.shown(mistake.message))
        column = mistake.column
      case let error as WorkspaceError: self.init(ToolError(error))
      case let error as ToolError:
        self.init(Self.status(error.status), Self.shown(error.message))
      default: self.init(.internalServerError, Self.shown("\(error)"))
      }
    }

    private static func shown(_ message: String) -> String { StandardError.singleLine(message) }

    private static func status(_ status: ToolExitStatus) -> HTTPResponseStatus {
      switch status {
      case .done: .ok
      case .usage: .badRequest
      case .keyAbsent: .notFound
      case .conditionNotMet: .conflict
      case .busy: .serviceUnavailable
      case .otherError, .unreadableFile: .internalServerError
      }
    }

    var json: JSONValue {
      .object(JSONObject(["error": .string(message), "column": column.map { JSONValue($0) } ?? .null]))
    }
  }
#endif
