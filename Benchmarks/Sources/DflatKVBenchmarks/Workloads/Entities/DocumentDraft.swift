/// What a program knows of a document before it makes it: the fields of Dflat's benchmark, of which a third have images, a
/// third each colour, and a sixth a priority above 0.
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

  /// The same with their numbers as priorities.
  static func ranked(_ count: Int) -> [DocumentDraft] {
    var drafts = list(count)
    for number in drafts.indices { drafts[number].priority = Int32(number) }
    return drafts
  }
}

/// What an update changes, in each document of it.
struct DocumentRevision: Sendable {
  let tag: String
  let position = Vec3(x: 1, y: 0, z: 2)
  private let rank: Rank

  private enum Rank {
    case fixed(Int32)
    case rotating(by: Int32, in: Int32)
  }

  /// Everything gets the number as its priority. No two updates have the same, so that each changes something.
  init(_ number: Int) {
    tag = "tag of update \(number)"
    rank = .fixed(Int32(10_000 + number))
  }

  /// Moves each of `count` ranks on.
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
