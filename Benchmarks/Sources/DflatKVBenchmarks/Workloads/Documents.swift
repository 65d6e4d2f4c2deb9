/// The same document as a FlatBuffers value and as a struct for property lists.
extension BenchDoc {
  convenience init(_ number: Int) {
    self.init(
      title: "title \(number)", pos: Vec3(x: Float(number), y: 2, z: 3), color: .blue,
      content: .textContent(TextContent(text: "the text of document \(number)")), tag: "tag \(number % 100)",
      priority: Int32(number))
  }
}

/// The equivalent of `BenchDoc` in a program without FlatBuffers.
struct CodableDocument: Codable, Equatable, Sendable {
  struct Position: Codable, Equatable, Sendable {
    var x: Float
    var y: Float
    var z: Float
  }

  enum Colour: Int8, Codable, Sendable {
    case red, green, blue
  }

  enum Content: Codable, Equatable, Sendable {
    case text(String?)
    case images([String])
  }

  var pos: Position?
  var color: Colour
  var title: String
  var content: Content?
  var tag: String?
  var priority: Int32

  init(_ number: Int) {
    let document = BenchDoc(number)
    pos = document.pos.map { Position(x: $0.x, y: $0.y, z: $0.z) }
    color = .blue
    title = document.title
    content =
      switch document.content {
      case .textContent(let content)?: .text(content.text)
      case .imageContent(let content)?: .images(content.images)
      case nil: nil
      }
    tag = document.tag
    priority = document.priority
  }
}
