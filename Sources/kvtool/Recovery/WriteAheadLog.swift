/// The pages in a write-ahead log, up to its last sound commit (https://sqlite.org/fileformat2.html#walformat).
final class WriteAheadLog {
  let pageSize: Int
  private(set) var commitCount = 0
  /// True if a sound commit follows a damaged one. What else follows the last commit may be left from a transaction that
  /// was rolled back.
  private(set) var isCut = false
  /// The number of pages of the database after the last commit.
  private var pageCount = 0

  private let file: ReadableFile
  /// The offset in the file of each page's newest committed version.
  private var offsets: [Int: Int] = [:]
  /// The numbers of these pages, in ascending order.
  private var numbers: [Int] = []

  private static let headerSize = 32
  fileprivate static let frameHeaderSize = 24

  /// Returns nil if the file isn't a log.
  init?(_ file: ReadableFile) {
    guard let header = file.bytes(at: 0, count: Self.headerSize), header.integer32(at: 0) & ~1 == 0x377f_0682,
      header.integer32(at: 4) == 3_007_000
    else { return nil }
    let size = header.integer32(at: 8)
    guard (512...65536).contains(size), size & (size - 1) == 0 else { return nil }
    self.file = file
    pageSize = size
    var checksum = Checksum(isBigEndian: header[3] & 1 == 1)
    checksum.add(header[..<24])
    guard checksum.isStored(in: header, at: 24) else { return nil }
    readFrames(salts: header[16..<24], checksum)
    numbers = offsets.keys.sorted()
  }

  private func frame(at offset: Int) -> [UInt8]? { file.bytes(at: offset, count: Self.frameHeaderSize + pageSize) }

  private func readFrames(salts: ArraySlice<UInt8>, _ start: Checksum) {
    var checksum = start
    var pending: [Int: Int] = [:]
    var offset = Self.headerSize
    while let frame = frame(at: offset) {
      // Frames of an earlier use of the log have other salts.
      checksum.add(frame)
      guard frame[8..<16] == salts, checksum.isStored(in: frame, at: 16) else { break }
      pending[frame.integer32(at: 0)] = offset + Self.frameHeaderSize
      // Only a commit's last frame has the number of pages.
      if frame.integer32(at: 4) > 0 {
        pageCount = frame.integer32(at: 4)
        offsets.merge(pending) { _, new in new }
        pending = [:]
        commitCount += 1
      }
      offset += Self.frameHeaderSize + pageSize
    }
    // Each frame's checksum continues that of the frame before.
    while let previous = frame(at: offset), let frame = frame(at: offset + Self.frameHeaderSize + pageSize) {
      var checksum = Checksum(isBigEndian: start.isBigEndian, continuing: previous)
      checksum.add(frame)
      if frame[8..<16] == salts, frame.integer32(at: 4) > 0, checksum.isStored(in: frame, at: 16) {
        isCut = true
        return
      }
      offset += Self.frameHeaderSize + pageSize
    }
  }

  /// Returns the number of pages of a database whose file has this many. Each page in the log can be a new one, and
  /// higher numbers are damage. After a database has become smaller, the file has pages of its former state.
  func pageCount(ofFileWith count: Int) -> Int { commitCount == 0 ? count : min(pageCount, count + offsets.count) }

  /// Returns the lowest number of a page in the log from a number on.
  func firstPage(from number: Int) -> Int? {
    var range = numbers.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = numbers[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound < numbers.count ? numbers[range.lowerBound] : nil
  }

  func page(_ number: Int) -> [UInt8]? {
    offsets[number].flatMap { file.bytes(at: $0, count: pageSize) }
  }

  /// The checksum of the log: each 32-bit word of the bytes is added, in pairs.
  private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Continues the checksum that a frame has stored.
    init(isBigEndian: Bool, continuing frame: [UInt8]) {
      self.isBigEndian = isBigEndian
      first = UInt32(frame.integer32(at: 16))
      second = UInt32(frame.integer32(at: 20))
    }

    /// Adds a frame: the page's number, the commit's size, and the page.
    mutating func add(_ frame: [UInt8]) {
      add(frame[..<8])
      add(frame[WriteAheadLog.frameHeaderSize...])
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { bytes in
        for index in stride(from: 0, to: bytes.count - 7, by: 8) {
          first = first &+ word(bytes, index) &+ second
          second = second &+ word(bytes, index + 4) &+ first
        }
      }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    func isStored(in bytes: [UInt8], at offset: Int) -> Bool {
      bytes.integer32(at: offset) == Int(first) && bytes.integer32(at: offset + 4) == Int(second)
    }
  }
}
