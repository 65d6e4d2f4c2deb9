/// All comparisons, in the order of the report.
enum Catalogue {
  static var comparisons: [Comparison] {
    InsertWorkloads.all + ReadWorkloads.all + CodableWorkloads.all + PropertyListWorkloads.all
      + FlatBuffersWorkloads.all + SingleWorkloads.all
      + [OpenWorkload.comparison] + DefaultsWorkloads.all + entities
  }

  private static var entities: [Comparison] {
    let entities =
      EntityWriteWorkloads.all + EntityFetchWorkloads.all + EntitySearchWorkloads.all + EntityThreadWorkloads.all
      + EntityObservationWorkloads.all + EntityScaleWorkloads.all + ResponseWorkloads.all
    #if WITHOUT_OTHER_STORES
      return entities
    #else
      return entities.flatMap { comparison in
        [comparison] + GRDBWorkloads.all.filter { $0.id == "\(comparison.id)-grdb" }
      }
    #endif
  }
}
