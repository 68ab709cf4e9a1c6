import Foundation
import Testing

@testable import ManagedObjects

/// Against what Apple's Core Data wrote.
@Suite struct VersionHashTests {
    /// `NSStoreModelVersionHashes` of SampleModel_V1.sqlite, a store in the tests of alemar11/CoreDataPlus
    /// (MIT).
    private let published = [
        "Car": "nlVVKQchWCING6zS+Ao9rUkZ90oyqovp7iKmp7QSbI8=",
        "Person": "FkJoVRtFEIrnY6orph/zLTLTIyOFCYfD4hYHyNpEtys=",
        "SportCar": "UU7BkHpWgpn5+2hREGUWE28HVfRfpTqCOg5NRAE9UxM=",
        "ExpensiveSportCar": "PcfjKxvkW1pMeVrJrz4dEKpyItPGmugFu+tECL3rpIA=",
    ]

    @Test func `hashes of entities are those of a store that Apple's Core Data wrote`() throws {
        let model = try sampleModel()
        for (name, hash) in published {
            let entity = try #require(model.entity(named: name))
            #expect(entity.versionHash.base64EncodedString() == hash, "\(name)")
        }
    }

    @Test func `the digest over all entities is that of the store`() throws {
        let hashes = published.compactMapValues { Data(base64Encoded: $0) }
        #expect(
            VersionHash.digest(hashes)
                == "fACvwxty0QWritKFX3/LTtXZvI64UnFcRtP6qcjW1Yl0owr+rH+SpCvzy/uDYRpknMXbgacd3srn9wmE2KkL8Q==")
    }

    @Test func `tables and indexes are those of the store`() throws {
        let model = try sampleModel(), schema = SQLSchema(model, entities: model.entities)
        let car = try #require(model.entity(named: "Car")),
            person = try #require(model.entity(named: "Person"))
        #expect(
            schema.table(of: car).definition
                == """
                CREATE TABLE ZCAR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, \
                ZISLIMITEDEDITION INTEGER, ZMARKEDFORDELETIONASOF TIMESTAMP, ZMAKER VARCHAR, ZMODEL VARCHAR, \
                ZNUMBERPLATE VARCHAR, ZCOLOR BLOB )
                """)
        #expect(
            schema.table(of: person).definition
                == """
                CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
                ZUPDATEDAT TIMESTAMP, ZFIRSTNAME VARCHAR, ZLASTNAME VARCHAR, ZID BLOB )
                """)
        #expect(
            schema.indexDefinitions.values.sorted() == [
                "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)",
                "CREATE INDEX ZCAR_Z_ENT_INDEX ON ZCAR (Z_ENT)",
                "CREATE UNIQUE INDEX Z_Car_UNIQUE_numberPlate ON ZCAR (ZNUMBERPLATE COLLATE BINARY ASC)",
                """
                CREATE UNIQUE INDEX Z_Person_UNIQUE_firstName_lastName ON ZPERSON (ZFIRSTNAME COLLATE \
                BINARY ASC, \
                ZLASTNAME COLLATE BINARY ASC)
                """,
            ])
    }

    /// The model of that store, in code.
    private func sampleModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(Person.self, Car.self, SportCar.self, ExpensiveSportCar.self)
    }
}

class Car: ManagedObject {
    @Attribute(transformer: BytesTransformer.self) var color: [UInt8]?
    @Attribute var maker: String?
    @Attribute var markedForDeletionAsOf: Date?
    @Attribute var model: String?
    @Attribute var numberPlate: String
    @Relationship(inverse: \Person.cars) var owner: Person?
    override class var uniquenessConstraints: [[String]] { [["numberPlate"]] }
}

class SportCar: Car {}

final class ExpensiveSportCar: SportCar {
    @Attribute var isLimitedEdition: Bool? = false
}

final class Person: ManagedObject {
    @Attribute var firstName: String?
    @Attribute(.preservedAfterDeletion) var id: UUID
    @Attribute var lastName: String?
    @Attribute var updatedAt: Date
    @Relationship(inverse: "owner") var cars: Set<Car>
    override class var uniquenessConstraints: [[String]] { [["firstName", "lastName"]] }
}
