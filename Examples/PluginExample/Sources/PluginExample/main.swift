import DesignModels
import DflatKV

let workspace = SQLiteWorkspace.inMemory()
let post = Blog.Post(
  title: "First post", author: Blog.Author(name: "Ada"), color: .green,
  content: .textContent(Blog.TextContent(text: "This is my very first post!")))
workspace.dictionary["draft"] = post.toData()
if let data = workspace.dictionary["draft", Data.self] {
  let draft = try Blog.Post(data: data)
  print(draft.title, "by", draft.author?.name ?? "nobody", "in", draft.color.hexadecimal, "of", draft.priority)
}
workspace.shutdown()
