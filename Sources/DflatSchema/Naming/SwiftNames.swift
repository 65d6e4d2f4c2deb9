/// Derives Swift names from schema names. Keywords are not escaped here: the emitters do that.
public enum SwiftNames {
  /// Returns a type's name: without underscores, with the letters after them capitalized. The first letter stays:
  /// `my_type` → `myType`.
  public static func typeName(_ name: String) -> String {
    let words = words(name)
    return joined(words.prefix(1).map(String.init) + words.dropFirst().map(capitalised), instead: name)
  }

  /// Returns a type's name in upper camel case: `my_type` → `MyType`.
  package static func capitalisedTypeName(_ name: String) -> String { capitalised(typeName(name)[...]) }

  /// Returns a member's name in lower camel case: `hp_old` → `hpOld`, `Name` → `name`, `URLString` → `urlString`,
  /// `MAX_HP` → `maxHP`.
  public static func memberName(_ name: String) -> String {
    let words = words(name)
    return joined(words.prefix(1).map(loweringAcronym) + words.dropFirst().map(capitalised), instead: name)
  }

  /// Returns the name of an enum's case. A name in capitals stays (`ALPHA`, `MAX_HP`); others begin in lower case:
  /// `Red` → `red`, `gamma_delta` → `gammaDelta`, `XMLParser` → `xMLParser`.
  public static func caseName(_ name: String) -> String { isUpperCase(name) ? name : loweringFirst(typeName(name)) }

  /// Returns the name of a union's case, which begins in lower case (`TextContent` → `textContent`). A name in capitals
  /// becomes lower case: `URL` → `url`.
  public static func unionCaseName(_ name: String) -> String {
    isUpperCase(name) ? memberName(name.lowercased()) : loweringFirst(typeName(name))
  }

  // MARK: Parts

  private static func words(_ name: String) -> [Substring] { name.split(separator: "_") }

  /// Joins words to a name. A name that would begin with a digit gets an underscore in front, and a name of underscores
  /// alone one more, because `_` is no name in Swift.
  private static func joined(_ words: [String], instead name: String) -> String {
    let result = words.joined()
    guard let first = result.utf8.first else { return "_" + name }
    return first.isASCIIDigit ? "_" + result : result
  }

  private static func capitalised(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static func loweringFirst(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

  /// Lowercases the capitals that begin a word, except for one that begins the next word.
  private static func loweringAcronym(_ word: Substring) -> String {
    let run = word.prefix { $0.isUppercase }
    let rest = word.dropFirst(run.count)
    let startsNextWord = run.count > 1 && rest.first?.isLowercase == true
    let acronym = startsNextWord ? run.dropLast() : run
    return acronym.lowercased() + word.dropFirst(acronym.count)
  }

  private static func isUpperCase(_ name: String) -> Bool {
    name.contains { $0.isUppercase } && !name.contains { $0.isLowercase }
  }
}
