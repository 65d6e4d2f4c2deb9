/// The release that `kvtool` and `dflatc` report, with a section of its own in CHANGELOG.md.
package enum ReleaseVersion {
  package static let current = "0.2.0"
}
