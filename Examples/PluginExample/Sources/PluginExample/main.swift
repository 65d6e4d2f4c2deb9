import DesignModels
import DflatKV

let workspace = try SQLiteWorkspace.inMemory()
workspace.dictionary["draft"] = Blog.Post(
  title: "First post", author: Blog.Author(name: "Ada"), color: .green,
  content: .textContent(Blog.TextContent(text: "This is my very first post!")))
if let draft = workspace.dictionary["draft", Blog.Post.self] {
  print(draft.title, "by", draft.author?.name ?? "nobody", "in", draft.color.hexadecimal, "of", draft.priority)
}
workspace.shutdown()
