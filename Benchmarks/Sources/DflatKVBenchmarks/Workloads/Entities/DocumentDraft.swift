/// The fields of a document to be created, as in Dflat's benchmark: a third of the documents have images, a third have
/// each color, and a sixth have a priority above 0.
struct DocumentDraft: Sendable {
  var title: String
  var color: Color
  var tag: String
  var priority: Int32
  var position: Vec3
  var content: Content

  static func list(_ count: Int) -> [DocumentDraft] {
    (0..<count).map { number in
      let isImage = number.isMultiple(of: 3)
      return DocumentDraft(
        title: "title \(number)", color: isImage ? .blue : number % 3 == 1 ? .red : .green, tag: "tag \(number)",
        priority: isImage ? Int32(count / 2 - number) : 0, position: Vec3(x: 0, y: 0, z: 0),
        content: isImage
          ? .imageContent(ImageContent(images: ["image \(number)"]))
          : .textContent(TextContent(text: "the text of document \(number)")))
    }
  }

  /// Returns the same drafts, with their positions in the list as priorities.
  static func ranked(_ count: Int) -> [DocumentDraft] {
    var drafts = list(count)
    for number in drafts.indices { drafts[number].priority = Int32(number) }
    return drafts
  }
}

/// The changes that an update makes to each of its documents.
struct DocumentRevision: Sendable {
  let tag: String
  let position = Vec3(x: 1, y: 0, z: 2)
  private let rank: Rank

  private enum Rank {
    case fixed(Int32)
    case rotating(by: Int32, in: Int32)
  }

  /// Sets every priority to a value derived from the number. Updates with different numbers change every document.
  init(_ number: Int) {
    tag = "tag of update \(number)"
    rank = .fixed(Int32(10_000 + number))
  }

  /// Rotates the priorities of `count` documents by `step`.
  init(_ number: Int, rotatingBy step: Int, in count: Int) {
    tag = "tag of update \(number)"
    rank = .rotating(by: Int32(step), in: Int32(count))
  }

  func priority(_ old: Int32) -> Int32 {
    switch rank {
    case .fixed(let priority): priority
    case .rotating(let step, let count): (old + step) % count
    }
  }
}

extension BenchDoc {
  convenience init(_ draft: DocumentDraft) {
    self.init(
      title: draft.title, pos: draft.position, color: draft.color, content: draft.content, tag: draft.tag,
      priority: draft.priority)
  }

  func revised(_ revision: DocumentRevision) -> BenchDoc {
    BenchDoc(
      title: title, pos: revision.position, color: color, content: content, tag: revision.tag,
      priority: revision.priority(priority))
  }
}
