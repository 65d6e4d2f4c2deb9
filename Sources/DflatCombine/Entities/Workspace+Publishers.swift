public import DflatCore
public import DflatEntities

extension Workspace {
  /// Publishes the changes of an object, until it is deleted.
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
  /// ``AtomPublisher`` describes the threads, and the treatment of values without demand.
  public func publisher<Element: Atom>(for object: Element) -> AtomPublisher<Element> {
    AtomPublisher { sink in
      self.observe(object: object, onEnd: { sink.end() }) { change in
        switch change {
        case .updated: sink.offer(change)
        case .deleted: sink.offer(last: change)
        }
      }
    }
  }

  /// Publishes the changes of a fetched result.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.color == .red)
  ///     let cancellable = workspace.publisher(for: posts).sink { posts in print(posts) }
  ///
  /// ``FetchedResultPublisher`` describes the threads, and the treatment of values without demand.
  public func publisher<Element: Atom>(
    for fetchedResult: FetchedResult<Element>
  ) -> FetchedResultPublisher<Element> {
    FetchedResultPublisher { sink in
      self.observe(fetchedResult: fetchedResult, onEnd: { sink.end() }) { sink.offer($0) }
    }
  }

  /// Publishes a query's result, then its changes.
  ///
  ///     let cancellable = workspace.publisher(for: Post.self)
  ///       .where(Post.color == .red, orderBy: [Post.priority.descending])
  ///       .subscribe(on: DispatchQueue.global())
  ///       .sink { posts in print(posts) }
  ///
  /// ``QueryPublisher`` describes the threads, and the treatment of values without demand.
  ///
  /// In main-actor code, including `main.swift`, call `receive(on: DispatchQueue.main)` before `sink`, or write
  /// `{ @Sendable posts in … }`: any other closure is isolated to the main actor, and Swift stops a program that calls
  /// it elsewhere.
  public func publisher<Element: Atom>(for type: Element.Type) -> QueryPublisherBuilder<Element> {
    QueryPublisherBuilder(workspace: self)
  }
}
