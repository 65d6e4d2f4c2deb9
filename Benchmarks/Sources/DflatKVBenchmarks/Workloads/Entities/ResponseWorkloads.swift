import DflatEntities
import DflatKV
import DflatResponses
import Foundation

/// Storing the response of a GraphQL operation with 1,000 objects, against code that makes the same objects and upserts
/// them. That code would overwrite fields of an operation that selects more.
enum ResponseWorkloads {
  static let all = [
    comparison("new", "Store a GraphQL response, 1,000 new objects") { _ in nil },
    comparison("changed", "Store a GraphQL response, 1,000 changed objects") { -$0 },
    comparison("unchanged", "Store a GraphQL response, 1,000 unchanged objects") { $0 },
  ]

  private static let count = 1_000

  /// - Parameter earlier: Returns the number of the response that was stored before; nil for none.
  private static func comparison(
    _ id: String, _ title: String, earlier: @escaping @Sendable (_ number: Int) -> Int?
  ) -> Comparison {
    Comparison(
      id: "graphql-\(id)", title: title, baselineTitle: "hand-written upserts of the same objects", limit: 1.5
    ) { scratch in
      .init(
        work(scratch, earlier) { try $0.store(in: $1).newCount },
        against: work(scratch, earlier) { data, transaction in
          for product in data.products {
            let maker = product.maker.map { Product.Maker(country: $0.country, name: $0.name) }
            try transaction.upsert(
              Product(
                id: product.id, maker: maker, name: product.name, price: product.price, stock: product.stock,
                tags: product.tags))
          }
          return 0
        })
    }
  }

  private static func work(
    _ scratch: ScratchFolder, _ earlier: @escaping @Sendable (Int) -> Int?,
    store: @escaping (ProductsQuery.Data, TransactionContext) throws -> Int
  ) -> PreparedWork {
    let numbering = Numbering()
    return PreparedWork { state in
      try Workload.withNewWorkspace(scratch) { workspace in
        let number = numbering.next()
        if let earlier = earlier(number) {
          let data = try response(earlier)
          _ = try workspace.transactAndWait([Product.self]) { try data.store(in: $0) }
        }
        let data = try response(number)
        state.start()
        _ = try workspace.transactAndWait([Product.self]) { try store(data, $0) }
        try state.end()
        let stored = workspace.fetch(for: Product.self).where(Product.stock == Int32(number))
        try BenchmarkFailure.check(stored.count, count)
      }
    }
  }

  private static func response(_ number: Int) throws -> ProductsQuery.Data {
    let products = (0..<count).map { index in
      """
      {"id": "product-\(index)", "name": "Product \(index)", "price": \(index).5, "stock": \(number),
        "tags": ["new", "tag \(index % 10)"], "maker": {"name": "Maker \(index % 100)", "country": "NL"}}
      """
    }
    let json = #"{"data": {"products": [\#(products.joined(separator: ","))]}}"#
    return try JSONDecoder().decode(GraphQLResponse<ProductsQuery>.self, from: Data(json.utf8)).result()
  }
}
