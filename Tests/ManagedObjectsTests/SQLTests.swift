import Foundation
import Testing

@testable import ManagedObjects

/// The SQL itself, so that the rules read as documentation.
@Suite struct SQLTests {
    @Test func `equality is IS, which knows null and uses the index`() throws {
        #expect(try sql(\.latitude == 53.5) == "(t0.ZLATITUDE IS ?)")
        #expect(try sql(\.latitude == nil) == "(t0.ZLATITUDE IS NULL)")
        #expect(try sql(\.latitude != 53.5) == "(t0.ZLATITUDE IS NOT ?)")
    }

    @Test func `an order stands bare where null counts as false, so that it uses the index too`() throws {
        #expect(
            try sql(\.latitude < 45 && \.latitude > 0)
                == "((t0.ZLATITUDE < ?) AND (t0.ZLATITUDE > ?))")
    }

    @Test func `under NOT an order with a null is false, so that NOT turns it true`() throws {
        #expect(try sql(!(\.latitude < 45)) == "(NOT COALESCE(t0.ZLATITUDE < ?, 0))")
    }

    @Test func `a related property is a scalar subquery`() throws {
        #expect(
            try sql(\.country?.code == 276)
                == "((SELECT ZCODE FROM ZCOUNTRY WHERE Z_PK = t0.ZCOUNTRY) IS ?)")
    }

    @Test func `contains is EXISTS over the other table`() throws {
        #expect(
            try sql(Filter(#Predicate { $0.swatches.contains { $0.share > 0.4 } }))
                == "EXISTS(SELECT 1 FROM ZSWATCH AS t1 WHERE t1.ZMOOD = t0.Z_PK AND (t1.ZSHARE > ?))"
        )
    }

    private func sql(_ filter: Filter<Mood>) throws -> String {
        let model = try testModel(), schema = SQLSchema(model, entities: model.entities)
        let scope = SQLScope(
            schema: schema, storeIdentifier: "", tables: [try #require(model.entity(named: "Mood"))])
        return try filter.node.get().sql(scope).text
    }
}
