import Foundation

/// The parts of a JSON Feed file that this program uses.
struct FeedFile: Sendable {
  struct Item: Decodable, Sendable {
    let id: String
    let title: String?
    let url: String?
    let published: Date?

    enum CodingKeys: String, CodingKey {
      case id, title, url
      case published = "date_published"
    }
  }

  let name: String
  let title: String
  /// The feed's items, with unique ids.
  let items: [Item]

  init(path: String) throws {
    let url = URL(fileURLWithPath: path)
    guard let data = try? Data(contentsOf: url) else { throw NewsError(description: "\(path) can't be read") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let contents = try? decoder.decode(Contents.self, from: data) else {
      throw NewsError(description: "\(path) is not a JSON Feed")
    }
    var ids: Set<String> = []
    name = url.deletingPathExtension().lastPathComponent
    title = contents.title
    items = contents.items.filter { ids.insert($0.id).inserted }
  }

  private struct Contents: Decodable {
    let title: String
    let items: [Item]
  }
}
