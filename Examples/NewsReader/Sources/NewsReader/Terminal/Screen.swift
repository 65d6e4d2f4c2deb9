import Foundation

/// Prints pages on standard output. On a terminal, a live page replaces the previous one.
struct Screen {
  let replaces: Bool

  init(isLive: Bool) {
    replaces = isLive && isatty(FileHandle.standardOutput.fileDescriptor) != 0
  }

  /// Prints a page without buffering; `print` would buffer the output to a pipe.
  func show(_ page: Page) {
    var text = replaces ? "\u{1B}[H\u{1B}[2J" : ""
    for article in page.articles { text += line(of: article, showsDate: page.showsDates) + "\n" }
    let unread = page.articles.count { !$0.read }
    text += "-- \(page.articles.count) articles, \(unread) unread\n"
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private func line(of article: Article, showsDate: Bool) -> String {
    let mark = article.read ? " " : "*"
    let date = Date(timeIntervalSince1970: TimeInterval(article.published)).formatted(.iso8601.year().month().day())
    let title = article.title ?? "untitled"
    return "\(mark) \(article.number) \(showsDate ? date + " " : "")\(title) (\(article.feed))"
  }
}
