/// Returns a binary property list of encoded objects, the first of which is the top object. A reference to an object is
/// its number in two bytes. The objects may be damaged, or contain each other in a cycle.
package func binaryPropertyList(of objects: [[UInt8]]) -> [UInt8] {
  func bytes(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  var file = Array("bplist00".utf8)
  var offsets: [Int] = []
  for object in objects {
    offsets.append(file.count)
    file += object
  }
  let table = file.count
  for offset in offsets { file += bytes(offset, 4) }
  return file + [0, 0, 0, 0, 0, 0, 4, 2] + bytes(objects.count, 8) + bytes(0, 8) + bytes(table, 8)
}
