/// Reads the rows of tables, and then those that no table leads to any more.
struct FileScan {
  /// The pages and rows that couldn't be read.
  struct Damage {
    /// Pages that a table refers to, and that can't be read as a part of it.
    var pages: Set<Int> = []
    /// Rows of readable pages that can't be read.
    var rowCount = 0

    var isAny: Bool { !pages.isEmpty || rowCount > 0 }
  }

  let file: PageFile
  private(set) var damage = Damage()
  /// The pages of the tables that were read, and of their rows.
  private var known: Set<Int> = []
  /// True while pages are only noted.
  private var isPassingOver = false
  /// The pages of tables that were noted. What they lead to was noted, too.
  private var passedOver: Set<Int> = []
  /// The pages of the table that is being read.
  private var visited: Set<Int> = []
  /// The pages that rows of the table lead to which can't be read.
  private var visitedInVain: Set<Int> = []
  /// The number of pages that are still read for a second row. A page that was overwritten by a copy of another one may
  /// lead to the pages of another row; in a file that was made for it, all rows lead to the same pages.
  private var sharedPageLimit: Int
  /// The number of pages of tables that are still read. A damaged table may lead to the pages of another one; in a file
  /// that was made for it, very many tables have the same pages.
  private var treePageLimit: Int
  /// The pages of the list of free ones, which may hold deleted rows.
  private var freePages: Set<Int> = []
  private(set) var isFreeListDamaged = false

  init(_ file: PageFile) {
    self.file = file
    sharedPageLimit = file.pageCount
    treePageLimit = file.pageCount * Self.maximumReads
    readFreePages()
  }

  /// The depth of a b-tree of the largest possible file.
  private static let maximumDepth = 64
  /// The number of times that each page is read as one of a table, on average.
  private static let maximumReads = 64

  /// Reads all rows of the table with a root page. Calls `body` with each row, and with the pages that it lies on.
  mutating func forEachRow(ofTableAt root: Int, _ body: (SQLiteRecord, [Int]) throws -> Void) rethrows {
    // A damaged table may lead to the pages of another one, which has to find them, too.
    (visited, visitedInVain) = ([], [])
    defer { known.formUnion(visited) }
    try forEachRow(at: root, isTable: nil, depth: 0, body)
  }

  private mutating func forEachRow(
    at number: Int, isTable: Bool?, depth: Int, _ body: (SQLiteRecord, [Int]) throws -> Void
  ) rethrows {
    if isPassingOver, passedOver.contains(number) { return }
    guard treePageLimit > 0, depth < Self.maximumDepth, visited.insert(number).inserted, let page = cellPage(number),
      isTable == nil || isTable == page.kind.isTable
    else {
      damage.pages.insert(number)
      return
    }
    treePageLimit -= 1
    if isPassingOver { passedOver.insert(number) }
    damage.rowCount += page.damagedCount
    for cell in page.cells {
      if let child = cell.child { try forEachRow(at: child, isTable: page.kind.isTable, depth: depth + 1, body) }
      if cell.payloadSize == nil { continue }
      guard let (record, pages) = recordNotingPages(of: cell) else {
        damage.rowCount += 1
        continue
      }
      try body(record, [number] + pages)
    }
    if let last = page.lastChild { try forEachRow(at: last, isTable: page.kind.isTable, depth: depth + 1, body) }
  }

  /// Notes the pages of a table whose rows don't matter.
  mutating func passOver(tableAt root: Int) {
    let before = damage
    isPassingOver = true
    forEachRow(ofTableAt: root) { _, _ in }
    (damage, isPassingOver) = (before, false)
  }

  /// Returns the pages with rows to which nothing refers.
  func strayPages() -> [Int] {
    var pages: [Int] = []
    var next = 2
    while let number = file.firstPage(from: next) {
      if !known.contains(number), !freePages.contains(number), cellPage(number)?.cells.isEmpty == false {
        pages.append(number)
      }
      next = number + 1
    }
    return pages
  }

  /// Begins to read pages by themselves.
  mutating func beginStrayPages() { (visited, visitedInVain) = ([], []) }

  /// Returns the rows of a page by themselves, and the number of those that can't be read.
  ///
  /// - Parameter notesDamage: False if the page is read again later.
  mutating func rows(ofPage number: Int, notingDamage notesDamage: Bool = true) -> (
    rows: [SQLiteRecord], damagedCount: Int
  ) {
    let before = damage
    defer { if !notesDamage { damage = before } }
    guard let page = cellPage(number) else { return ([], 0) }
    var rows: [SQLiteRecord] = []
    var damagedCount = page.damagedCount
    for cell in page.cells where cell.payloadSize != nil {
      if let record = recordNotingPages(of: cell)?.record { rows.append(record) } else { damagedCount += 1 }
    }
    return (rows, damagedCount)
  }

  private func cellPage(_ number: Int) -> CellPage? {
    file.page(number).flatMap { CellPage($0, isFirst: number == 1, usableSize: file.usableSize) }
  }

  /// Reads a record, and notes the pages that it shares with others: one of them is damaged.
  private mutating func recordNotingPages(of cell: CellPage.Cell) -> (record: SQLiteRecord, pages: [Int])? {
    guard let (record, pages) = record(cell) else { return nil }
    let shared = visited.intersection(pages).count
    if shared > 0 {
      damage.rowCount += 1
      sharedPageLimit -= shared
    }
    visited.formUnion(pages)
    return (record, pages)
  }

  /// Reads a record with its bytes on other pages. Returns nil if it is damaged.
  private mutating func record(_ cell: CellPage.Cell) -> (record: SQLiteRecord, pages: [Int])? {
    guard let size = cell.payloadSize, size <= file.pageCount * file.pageSize else { return nil }
    var bytes = Array(cell.local)
    var pages: [Int] = []
    var own: Set<Int> = []
    var next = cell.overflowPage ?? 0
    while bytes.count < size, next > 0, own.insert(next).inserted, !isShared(next) || sharedPageLimit > 0,
      let page = file.page(next)
    {
      pages.append(next)
      next = page.integer32(at: 0)
      bytes += page[4..<min(file.usableSize, 4 + size - bytes.count)]
    }
    if bytes.count >= size, let record = SQLiteRecord(bytes, rowid: cell.rowid) { return (record, pages) }
    // Other rows may lead to the same pages, and would read them again.
    let sharedCount = pages.count { isShared($0) }
    sharedPageLimit -= sharedCount
    visitedInVain.formUnion(pages)
    return nil
  }

  private func isShared(_ page: Int) -> Bool { visited.contains(page) || visitedInVain.contains(page) }

  /// Reads the list of free pages, as far as it makes sense (https://sqlite.org/fileformat2.html#the_freelist).
  private mutating func readFreePages() {
    guard let header = file.page(1), let pages = freePages(from: header.integer32(at: 32)),
      pages.count == header.integer32(at: 36)
    else {
      // Without a list that is as long as the header says, any page may be in use.
      isFreeListDamaged = true
      return
    }
    freePages = pages
  }

  /// Returns the free pages, in the list that begins with a page; nil if the list is damaged.
  private func freePages(from first: Int) -> Set<Int>? {
    var pages: Set<Int> = []
    var trunk = first
    while trunk != 0 {
      guard trunk <= file.pageCount, pages.insert(trunk).inserted, let page = file.page(trunk) else { return nil }
      let count = page.integer32(at: 4)
      guard count <= file.usableSize / 4 - 2 else { return nil }
      for index in 0..<count { pages.insert(page.integer32(at: 8 + 4 * index)) }
      trunk = page.integer32(at: 0)
    }
    return pages
  }
}
