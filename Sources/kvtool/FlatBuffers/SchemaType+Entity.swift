import DflatEntities
import DflatSchema

extension SchemaType {
  /// The storage description of the root type's objects. Nil for a type that isn't an entity.
  var entity: EntitySchema? {
    guard case .table(let index) = root, let entity = EntityDescription(ofTable: index, in: schema) else { return nil }
    return EntitySchema(entity, layouts.table(index))
  }
}
