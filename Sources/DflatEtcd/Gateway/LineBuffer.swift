#if Etcd

  import NIOCore

  /// Splits a stream of bytes into lines, which are the messages of a stream of the gateway.
  struct LineBuffer {
    private var buffer = ByteBuffer()
    /// The number of readable bytes that have no line end.
    private var searched = 0

    mutating func append(_ bytes: ByteBuffer) {
      var bytes = bytes
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }

    /// The number of bytes that wait for the end of their line.
    var count: Int { buffer.readableBytes }

    /// Takes the next line, without its end. Returns nil if none is complete.
    mutating func next() -> ByteBuffer? {
      let unsearched = buffer.readableBytesView.dropFirst(searched)
      guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
        searched = buffer.readableBytes
        return nil
      }
      searched = 0
      let line = buffer.readSlice(length: end - buffer.readerIndex)
      buffer.moveReaderIndex(forwardBy: 1)
      return line
    }
  }

#endif
