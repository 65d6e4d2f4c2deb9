/// Collects what one run of an observed closure reads. Used only on the thread that runs the closure.
///
/// This module doesn't know what there is to read: each participant that answers reads keeps a part of the record.
@usableFromInline
package final class ReadRecorder {
  /// The workspace whose reads are recorded.
  package let workspace: WorkspaceIdentity
  /// The error of the first call that an observed closure must not make. It fails the run, even if the closure ignores
  /// it.
  private(set) var refusal: WorkspaceError?
  /// The first failure to read the file. The closure may have taken the data for absent.
  private(set) var readFailure: WorkspaceError?
  private var parts: [AnyObject] = []

  init(of workspace: WorkspaceIdentity) { self.workspace = workspace }

  /// The part of a class, which has to be final; nil if there is none.
  package subscript<Part: AnyObject>(type: Part.Type) -> Part? {
    for part in parts { if let found = part as? Part { return found } }
    return nil
  }

  /// Returns the part of a class, and adds a new one if there is none.
  package func part<Part: AnyObject>(orAdding make: @autoclosure () -> Part) -> Part {
    if let found = self[Part.self] { return found }
    let made = make()
    parts.append(made)
    return made
  }

  /// Notes a call that was refused.
  func noteRefusal(_ error: WorkspaceError) { refusal = refusal ?? error }

  /// Notes the error of a read.
  func noteReadError(_ error: any Error) {
    if readFailure == nil { readFailure = .failureToRead(error, path: workspace.path) }
  }
}
