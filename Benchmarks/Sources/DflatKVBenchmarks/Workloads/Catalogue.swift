/// All comparisons, in the order of the report.
enum Catalogue {
  static var comparisons: [Comparison] {
    InsertWorkloads.all + ReadWorkloads.all + CodableWorkloads.all + PropertyListWorkloads.all
      + FlatBuffersWorkloads.all + SingleWorkloads.all
      + [OpenWorkload.comparison] + DefaultsWorkloads.all + entities
  }

  private static var entities: [Comparison] {
    EntityWriteWorkloads.all + EntityFetchWorkloads.all + EntitySearchWorkloads.all + EntityThreadWorkloads.all
      + EntityObservationWorkloads.all + EntityScaleWorkloads.all + ResponseWorkloads.all
  }
}
