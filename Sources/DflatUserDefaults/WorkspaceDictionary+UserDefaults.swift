public import DflatKV
import DflatSupport
import Foundation

extension WorkspaceDictionary {
  /// Copies the values of UserDefaults to keys of the same names, in one transaction.
  ///
  ///     let moved = try workspace.dictionary.importValues(from: .standard) { !$0.hasPrefix("NS") }
  ///     for problem in moved.skipped { print(problem) }
  ///
  /// `Bool`, integers, floating-point numbers (as `Double`), `String` and `Data` are stored natively; a `Date`, an
  /// array or a dictionary as a property list, which reads as a `Codable` value of that type. These are the values that
  /// `kvtool import --from-plist` stores. UserDefaults keeps a URL as data or as a path, and so does the dictionary:
  /// copy a URL with `url(forKey:)`.
  ///
  /// Keys keep their bytes. Of two keys that are canonically equivalent, `UserDefaults` shows only one.
  ///
  /// The values are read before the transaction begins; `isIncluded` runs then, on this thread. Inside a transaction's
  /// closure the import is part of that transaction. Elsewhere it is a transaction of its own, and blocks the calling
  /// thread as ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does.
  ///
  /// - Parameters:
  ///   - domain: The values to copy.
  ///   - existingKeys: What happens to keys that already have a value in the dictionary, of whatever type.
  ///   - isIncluded: Returns whether to copy a key.
  /// - Returns: The keys that were copied, and those that were left unchanged and why. To undo everything if a key was
  ///   skipped, throw it in the closure of a transaction around this call.
  /// - Throws: The errors of `isIncluded`; outside a transaction's closure those of
  ///   ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``, inside one those of
  ///   ``/DflatKV/WorkspaceDictionary/storedValue(forKey:)``. Then nothing changes.
  public func importValues(
    from domain: UserDefaultsDomain, existingKeys: UserDefaultsTransfer.ExistingKeys = .keep,
    where isIncluded: (String) throws -> Bool = { _ in true }
  ) throws -> UserDefaultsTransfer {
    try importObjects(domain.objects(), existingKeys: existingKeys, where: isIncluded)
  }

  /// Copies the values of this namespace to keys of the same names in UserDefaults.
  ///
  ///     let copied = try workspace.dictionary.exportValues(to: .suite("group.com.example.app"))
  ///
  /// Numbers, `Bool`, `String` and `Data` become values of these types, and property lists become dates, arrays and
  /// dictionaries. FlatBuffers values have no such form, and are skipped. So are values that expire, which UserDefaults
  /// would keep for good, values of types that only a newer version of the library knows, and keys of which UserDefaults
  /// has another spelling. Keys of UserDefaults that this namespace doesn't have stay unchanged.
  ///
  /// The dictionary stores a URL as its text, which `url(forKey:)` would take for a path: set it again with
  /// `UserDefaults.set(_:forKey:)`. A date or another single `Codable` value that version 0.2 of the library has stored
  /// becomes an array of one, because it can't be told from such an array: write it again before.
  ///
  /// Blocks the calling thread until the values are read, from one state, as
  /// ``/DflatKV/WorkspaceDictionary/entries(withPrefix:limit:)`` does. `isIncluded` runs after that, on this thread.
  /// Then UserDefaults changes, key by key, which undoing a transaction around this call doesn't undo. UserDefaults
  /// reports no failures: some systems accept at most 4 MiB. On Linux, it writes its file only in
  /// `UserDefaults.synchronize()`, and dates there have whole seconds.
  ///
  /// - Parameters:
  ///   - domain: Where to copy the values to.
  ///   - existingKeys: What happens to keys that already have a value in the domain.
  ///   - isIncluded: Returns whether to copy a key.
  /// - Returns: The keys that were copied, and those that were left unchanged and why.
  /// - Throws: The errors of `isIncluded`, and ``/DflatCore/WorkspaceError`` with code `.cannotOpen` if UserDefaults
  ///   can't write to the domain, or another code that ``/DflatKV/WorkspaceDictionary`` lists. Then nothing changes.
  public func exportValues(
    to domain: UserDefaultsDomain, existingKeys: UserDefaultsTransfer.ExistingKeys = .overwrite,
    where isIncluded: (String) throws -> Bool = { _ in true }
  ) throws -> UserDefaultsTransfer {
    let defaults = try domain.defaults()
    // The keys that UserDefaults has, or will have. Here, equivalent keys are the same key, as they are to it.
    var spellings: [String: String] = [:]
    for key in domain.objects().keys { spellings[key] = key }
    var transfer = UserDefaultsTransfer()
    var objects: [(key: String, object: Any)] = []
    for (key, value, expires) in try readableValues() where try isIncluded(key) {
      let isOtherSpelling = spellings[key].map { !$0.hasSameBytes(as: key) }
      if existingKeys == .keep, isOtherSpelling == false {
        transfer.kept.append(key)
        continue
      }
      do throws(UserDefaultsTransfer.Reason) {
        guard let value else { throw .unsupportedType }
        if expires { throw .expires }
        let object = try value.propertyListObject()
        guard isOtherSpelling != true else { throw .equivalentKey }
        objects.append((key, object))
        spellings[key] = key
        transfer.written.append(key)
      } catch {
        transfer.skipped.append(UserDefaultsTransfer.SkippedKey(key: key, reason: error))
      }
    }
    for (key, object) in objects { defaults.set(object, forKey: key) }
    return transfer
  }

  /// Copies property-list objects, as `importValues` does.
  func importObjects(
    _ objects: [String: Any], existingKeys: UserDefaultsTransfer.ExistingKeys,
    where isIncluded: (String) throws -> Bool
  ) throws -> UserDefaultsTransfer {
    var transfer = UserDefaultsTransfer()
    var values: [(key: String, value: StoredValue)] = []
    for (key, object) in objects.sorted(by: { $0.key.precedesInBytes($1.key) }) where try isIncluded(key) {
      do throws(UserDefaultsTransfer.Reason) {
        values.append((key, try StoredValue(propertyListObject: object)))
      } catch {
        transfer.skipped.append(UserDefaultsTransfer.SkippedKey(key: key, reason: error))
      }
    }
    (transfer.written, transfer.kept) = try write(values, keepsExisting: existingKeys == .keep)
    return transfer
  }
}
