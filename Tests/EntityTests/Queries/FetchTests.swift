import DflatEntities
import DflatKV
import GoldenModels
import Testing
import TestSupport

@Suite struct FetchTests {
  let directory: TemporaryDirectory
  let workspace: SQLiteWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try SQLiteWorkspace.open(filePath: directory.file())
    try workspace.transactAndWait([Post.self]) { txn in
      for (number, title) in ["first", "second", "third", "fourth"].enumerated() {
        let content: Content? = number == 1 ? .textContent(TextContent(text: "two")) : nil
        try txn.insert(
          Post(
            title: title, color: number % 2 == 0 ? .red : .blue, tag: number == 3 ? nil : "tag\(number)",
            priority: Int32(number * 10), content: content))
      }
    }
  }

  private var posts: QueryBuilder<Post> { workspace.fetch(for: Post.self) }

  @Test("A fetch by primary key gives the object with its row and commit number")
  func readsByPrimaryKey() throws {
    let found = posts.where(Post.title == "second")
    #expect(found.map(\.title) == ["second"])
    #expect(found.first?._rowid == 2)
    #expect(found.commitNumber == 1)
    #expect(posts.where(Post.title == "fifth").isEmpty)
  }

  @Test("A fetch without an index gives the matching objects")
  func scans() {
    #expect(posts.where(Post.color == .blue && Post.priority > 10).map(\.title) == ["fourth"])
    #expect(posts.where(Post.tag == nil).map(\.title) == ["fourth"])
    #expect(posts.where(Post.tag != "tag0").map(\.title) == ["second", "third"])
    #expect(posts.where(Post.title.hasPrefix("f")).map(\.title) == ["first", "fourth"])
    #expect(posts.where(Post.content.match(TextContent.self)).map(\.title) == ["second"])
    #expect(posts.where(Post.content.as(TextContent.self).text == "two").map(\.title) == ["second"])
  }

  @Test("A fetch applies orders, limits and offsets")
  func sortsAndLimits() {
    let descending = posts.all(orderBy: [Post.color.descending, Post.priority.descending])
    #expect(descending.map(\.title) == ["fourth", "second", "third", "first"])
    #expect(posts.all(limit: .limit(2), orderBy: [Post.title.ascending]).map(\.title) == ["first", "fourth"])
    #expect(posts.all(limit: .limit(2), offset: 1).map(\.title) == ["second", "third"])
    #expect(posts.all(limit: .limit(-1)).isEmpty)
    let custom = posts.all(orderBy: [["third", "first"].firstIndex(of: Post.title)])
    #expect(custom.map(\.title) == ["second", "fourth", "third", "first"])
  }

  @Test("A query counts its objects and tells whether any exist")
  func countsAndAsksForExistence() throws {
    let blue = workspace.query(for: Post.self).where(Post.color == .blue)
    #expect(try blue.count() == 2)
    #expect(try blue.offset(1).count() == 1)
    #expect(try blue.exists())
    #expect(try !blue.where(Post.priority > 100).exists())
    #expect(try blue.first()?.title == "second")
    #expect(posts.count() == 4)
  }
}
