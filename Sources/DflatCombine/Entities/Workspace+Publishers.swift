public import DflatCore

extension Workspace {
  /// Publishes what becomes of an object, until it is deleted.
  ///
  ///     let cancellable = workspace.publisher(for: post)
  ///       .subscribe(on: DispatchQueue.global())
  ///       .sink { change in
  ///         switch change {
  ///         case .updated(let post): print(post)
  ///         case .deleted: print("deleted; this is the end")
  ///         }
  ///       }
  ///
  /// ``AtomPublisher`` says on which threads, and what happens to values that nobody asks for.
  public func publisher<Element: Atom>(for object: Element) -> AtomPublisher<Element> {
    AtomPublisher { outlet in
      self.observe(object: object, onEnd: { outlet.end() }) { change in
        switch change {
        case .updated: outlet.offer(change)
        case .deleted: outlet.offer(last: change)
        }
      }
    }
  }

  /// Publishes what becomes of a result that was fetched.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.color == .red)
  ///     let cancellable = workspace.publisher(for: posts).sink { posts in print(posts) }
  ///
  /// ``FetchedResultPublisher`` says on which threads, and what happens to values that nobody asks for.
  public func publisher<Element: Atom>(
    for fetchedResult: FetchedResult<Element>
  ) -> FetchedResultPublisher<Element> {
    FetchedResultPublisher { outlet in
      self.observe(fetchedResult: fetchedResult, onEnd: { outlet.end() }) { outlet.offer($0) }
    }
  }

  /// Publishes a query's result, then what becomes of it.
  ///
  ///     let cancellable = workspace.publisher(for: Post.self)
  ///       .where(Post.color == .red, orderBy: [Post.priority.descending])
  ///       .subscribe(on: DispatchQueue.global())
  ///       .sink { posts in print(posts) }
  ///
  /// ``QueryPublisher`` says on which threads, and what happens to values that nobody asks for.
  ///
  /// A closure that is written in code of the main actor, a `main.swift` included, belongs to it, and Swift stops a program
  /// that calls it elsewhere. There, `receive(on: DispatchQueue.main)` before `sink`, or write `{ @Sendable posts in … }`.
  public func publisher<Element: Atom>(for type: Element.Type) -> QueryPublisherBuilder<Element> {
    QueryPublisherBuilder(workspace: self)
  }
}
