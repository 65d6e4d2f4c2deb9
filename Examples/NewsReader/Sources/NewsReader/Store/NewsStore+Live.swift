import DflatCombine

/// The contents of a list.
struct Page: Sendable {
  let articles: FetchedResult<Article>
  let showsDates: Bool
}

extension NewsStore {
  /// Returns the newest articles at present.
  func page(onlyUnread: Bool) -> Page {
    let preferences = workspace.dictionary.preferences
    let limit = Limit.limit(preferences[.limit])
    let all = workspace.fetch(for: Article.self)
    let articles =
      onlyUnread
      ? all.where(Article.read == false, limit: limit, orderBy: Self.order) : all.all(limit: limit, orderBy: Self.order)
    return Page(articles: articles, showsDates: preferences[.dates])
  }

  /// Publishes the newest articles, and again whenever one of them or a preference changes, in any program.
  func pages(onlyUnread: Bool) -> some Publisher<Page, Never> {
    settings.map { [workspace] limit, showsDates in
      let all = workspace.publisher(for: Article.self)
      let articles =
        onlyUnread
        ? all.where(Article.read == false, limit: .limit(limit), orderBy: Self.order)
        : all.all(limit: .limit(limit), orderBy: Self.order)
      return articles.map { Page(articles: $0, showsDates: showsDates) }
    }
    .switchToLatest()
  }

  private var settings: some Publisher<(limit: Int, showsDates: Bool), Never> {
    let preferences = workspace.dictionary.preferences
    return preferences.publisher(.limit).map { limit in
      preferences.publisher(.dates).map { showsDates in (limit, showsDates) }
    }
    .switchToLatest()
  }

  private static var order: [OrderBy<Article>] { [Article.published.descending] }
}
