/// The pages in a write-ahead log, up to its last sound commit (https://sqlite.org/fileformat2.html#walformat).
final class WriteAheadLog {
  let pageSize: Int
  private(set) var commitCount = 0
  /// True if frames of the log's own follow the last commit that are damaged, or that no commit follows.
  private(set) var isCut = false

  private let file: ReadableFile
  /// Where the newest committed version of each page is in the file.
  private var offsets: [Int: Int] = [:]

  private static let headerSize = 32
  private static let frameHeaderSize = 24

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
  }

  private func readFrames(salts: ArraySlice<UInt8>, _ start: Checksum) {
    var checksum = start
    var pending: [Int: Int] = [:]
    var offset = Self.headerSize
    while let frame = file.bytes(at: offset, count: Self.frameHeaderSize + pageSize) {
      // Frames of an earlier use of the log have other salts.
      guard frame[8..<16] == salts else { break }
      checksum.add(frame[..<8])
      checksum.add(frame[Self.frameHeaderSize...])
      guard checksum.isStored(in: frame, at: 16) else {
        isCut = true
        return
      }
      pending[frame.integer32(at: 0)] = offset + Self.frameHeaderSize
      // Only a commit's last frame has the number of pages.
      if frame.integer32(at: 4) > 0 {
        offsets.merge(pending) { _, new in new }
        pending = [:]
        commitCount += 1
      }
      offset += Self.frameHeaderSize + pageSize
    }
  }

  /// Returns the number of pages of a database whose file has this many. Each page in the log can be a new one, and
  /// higher numbers are damage.
  func pageCount(ofFileWith count: Int) -> Int { max(count, min(offsets.keys.max() ?? 0, count + offsets.count)) }

  func page(_ number: Int) -> [UInt8]? {
    offsets[number].flatMap { file.bytes(at: $0, count: pageSize) }
  }

  /// The checksum of the log: each 32-bit word of the bytes is added, in pairs.
  private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

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
