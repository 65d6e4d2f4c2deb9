import DflatSupport

/// The pages of an SQLite file, with those of which its write-ahead log has newer versions.
///
/// The file is only read, without SQLite, and need not be sound: a page that can't be read is nil. Sources of the formats:
/// https://sqlite.org/fileformat2.html.
final class PageFile {
  typealias Page = [UInt8]

  let pageSize: Int
  /// The bytes of a page that SQLite uses.
  let usableSize: Int
  /// The number of pages; pages are numbered from 1.
  let pageCount: Int
  /// The faults of the files as such, for the report.
  private(set) var notes: [String] = []

  private let file: ReadableFile
  private let log: WriteAheadLog?

  /// - Throws: ``ToolError`` if the file can't be opened, or isn't a regular file.
  init(path: String) throws {
    guard let file = try ReadableFile(path: path) else {
      throw ToolError(.otherError, "there is no file \(path)")
    }
    self.file = file
    let logFile = try ReadableFile(path: path + "-wal")
    log = logFile.flatMap { WriteAheadLog($0) }
    let header = file.bytes(at: 0, count: Self.headerSize) ?? []
    let isSound = header.starts(with: Self.magic)
    if !isSound { notes.append("the header of the file is damaged") }
    // The log repeats the size of the pages. Without both, the size is found by trying.
    let stored = header.count == Self.headerSize ? header.integer16(at: 16) : 0
    let storedSize = stored == 1 ? 65536 : stored
    if isSound, Self.pageSizes.contains(storedSize) {
      pageSize = storedSize
    } else {
      pageSize = log?.pageSize ?? Self.likelyPageSize(of: file)
    }
    let reserved = isSound ? Int(header[20]) : 0
    usableSize = max(480, pageSize - reserved)
    if logFile != nil, log == nil, logFile?.size ?? 0 > 0 { notes.append("the write-ahead log is damaged") }
    if let log, log.isCut { notes.append("the write-ahead log is damaged after its commit \(log.commitCount)") }
    let count = min(file.size / pageSize + (file.size % pageSize == 0 ? 0 : 1), Self.maximumPageCount)
    if let log, log.pageSize == pageSize {
      pageCount = log.pageCount(ofFileWith: count)
    } else {
      pageCount = count
      if log != nil { notes.append("the write-ahead log is of another file") }
    }
    if file.size % pageSize != 0 { notes.append("the file ends within a page") }
  }

  private static let headerSize = 100
  private static let magic = Array("SQLite format 3\0".utf8)
  /// SQLite's limit (https://sqlite.org/limits.html).
  private static let maximumPageCount = 0xFFFF_FFFE
  private static let pageSizes = (9...16).map { 1 << $0 }
  /// The length of the part of the file that is searched for its page size, in bytes.
  private static let maximumSearch = 16 << 20

  /// Returns the size with the most pages that look like those of tables. If the size is too small, the pages' cells lie
  /// beyond it; if it is too large, some pages aren't looked at.
  private static func likelyPageSize(of file: ReadableFile) -> Int {
    func score(_ size: Int) -> Int {
      stride(from: size, to: min(file.size, maximumSearch), by: size).count { offset in
        let page = file.bytes(at: offset, count: size).flatMap { CellPage($0, isFirst: false, usableSize: size) }
        return page.map { $0.damagedCount == 0 && !$0.cells.isEmpty } ?? false
      }
    }
    // SQLite's default comes first among equals.
    return ([4096] + pageSizes).max { score($0) < score($1) } ?? 4096
  }

  /// Returns a page of the newest commit. Nil if there is none of that number, or it can't be read.
  func page(_ number: Int) -> Page? {
    guard (1...max(1, pageCount)).contains(number) else { return nil }
    if let log, log.pageSize == pageSize, let page = log.page(number) { return page }
    return file.bytes(at: (number - 1) * pageSize, count: pageSize)
  }

  /// Returns the first page from a number on that may have any content; nil if there is none. A file can have holes of any
  /// size.
  func firstPage(from number: Int) -> Int? {
    guard number <= pageCount else { return nil }
    let found = file.nextData(from: (number - 1) * pageSize).map { $0 / pageSize + 1 } ?? pageCount + 1
    let inLog = log?.firstPage(from: number) ?? pageCount + 1
    let next = max(number, min(found, inLog))
    return next <= pageCount ? next : nil
  }
}

/// A file whose bytes are read as far as the system can.
final class ReadableFile {
  /// `SEEK_DATA`, which the Linux headers declare for GNU's own programs only.
  #if canImport(Darwin)
    private static let seekData = SEEK_DATA
  #else
    private static let seekData: Int32 = 3
  #endif

  let size: Int
  private let descriptor: Int32

  /// Returns nil if there is no such file.
  init?(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw ToolError(.otherError, "cannot open \(path): \(systemMessage())") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      if status.st_mode & S_IFMT == S_IFDIR {
        throw ToolError(.otherError, "\(path) is a folder: give the path of a file in it")
      }
      throw ToolError(.unreadableFile, "\(path) is not a regular file")
    }
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// Returns the offset of the first byte from an offset on that isn't in a hole; nil if there is none.
  func nextData(from offset: Int) -> Int? {
    let found = lseek(descriptor, off_t(offset), Self.seekData)
    if found >= 0 { return Int(found) }
    // File systems without holes report an error of another kind.
    return errno == ENXIO || offset >= size ? nil : offset
  }

  /// Returns nil unless all of the bytes can be read.
  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= size - count else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }
}

extension [UInt8] {
  /// Reads a big-endian number. The caller has checked that the bytes exist.
  func integer16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

  /// Reads a big-endian number. The caller has checked that the bytes exist.
  func integer32(at offset: Int) -> Int { integer16(at: offset) << 16 | integer16(at: offset + 2) }
}
