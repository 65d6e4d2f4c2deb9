import DflatEntities

/// A type that the workloads store. All types have the same fields; each has its own table.
protocol Document: Atom {
  associatedtype Request: DocumentRequest where Request.Element == Self
}

/// The change request of a document type.
protocol DocumentRequest: ChangeRequest {
  static func creationRequest() -> Self
  static func changeRequest(_ object: Element) -> Self?
  static func deletionRequest(_ object: Element) -> Self?

  var pos: Vec3? { get set }
  var color: Color { get set }
  var title: String { get set }
  var content: Content? { get set }
  var tag: String? { get set }
  var priority: Int32 { get set }
}

extension DocumentRequest {
  func take(_ draft: DocumentDraft) {
    title = draft.title
    color = draft.color
    tag = draft.tag
    priority = draft.priority
    pos = draft.position
    content = draft.content
  }

  func take(_ revision: DocumentRevision) {
    tag = revision.tag
    priority = revision.priority(priority)
    pos = revision.position
  }
}

extension BenchDoc: Document { typealias Request = BenchDocChangeRequest }
extension BenchDocV2: Document { typealias Request = BenchDocV2ChangeRequest }
extension BenchDocV3: Document { typealias Request = BenchDocV3ChangeRequest }
extension BenchDocV4: Document { typealias Request = BenchDocV4ChangeRequest }
extension IndexedDoc: Document { typealias Request = IndexedDocChangeRequest }
extension OrderedDoc: Document { typealias Request = OrderedDocChangeRequest }

extension BenchDocChangeRequest: DocumentRequest {}
extension BenchDocV2ChangeRequest: DocumentRequest {}
extension BenchDocV3ChangeRequest: DocumentRequest {}
extension BenchDocV4ChangeRequest: DocumentRequest {}
extension IndexedDocChangeRequest: DocumentRequest {}
extension OrderedDocChangeRequest: DocumentRequest {}
