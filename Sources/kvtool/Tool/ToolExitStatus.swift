import DflatKV

/// The tool's exit statuses, as documented in its manual.
enum ToolExitStatus: Int32 {
  case done = 0
  case otherError = 1
  case keyAbsent = 2
  case conditionNotMet = 3
  case busy = 4
  case unreadableFile = 5
  case usage = 64
}

extension ToolExitStatus {
  init(_ code: WorkspaceError.Code) {
    switch code {
    case .busy: self = .busy
    case .objectAlreadyExists: self = .conditionNotMet
    case .notADatabase, .corrupt, .newerFormat, .foreignDatabase, .sealBroken: self = .unreadableFile
    default: self = .otherError
    }
  }
}
