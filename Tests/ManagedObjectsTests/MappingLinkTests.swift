import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Relationships in mapping models of Xcode: "Key Path" and "Mapping Name" of the editor.
struct MappingLinkTests {
    // MARK: Models

    private static func model(
        _ places: [PropertyDescription], _ moods: [PropertyDescription],
        _ continents: [PropertyDescription]
    ) throws -> ManagedObjectModel {
        func number() -> PropertyDescription { .attribute(AttributeDescription("number", .integer64)) }
        return try ManagedObjectModel(
            entities: [
                EntityDeclaration("Continent", properties: [number()] + continents),
                EntityDeclaration("Country", properties: [number()] + places),
                EntityDeclaration("Mood", properties: [number()] + moods),
            ])
    }

    private static func toOne(_ name: String, _ entity: String, _ inverse: String, was: String? = nil)
        -> PropertyDescription
    {
        .relationship(
            RelationshipDescription(name, to: entity, inverse: inverse, renamingIdentifier: was))
    }

    private static func toMany(
        _ name: String, _ entity: String, _ inverse: String, isOrdered: Bool = false, was: String? = nil
    ) -> PropertyDescription {
        .relationship(
            RelationshipDescription(
                name, to: entity, isToMany: true, isOrdered: isOrdered, inverse: inverse,
                renamingIdentifier: was))
    }

    /// Moods in countries on continents, and moods that are like others.
    private static func before() throws -> ManagedObjectModel {
        try model(
            [toOne("continent", "Continent", "countries"), toMany("moods", "Mood", "country")],
            [
                toOne("country", "Country", "moods"), toMany("like", "Mood", "liked"),
                toMany("liked", "Mood", "like"),
            ],
            [toMany("countries", "Country", "continent", isOrdered: true)])
    }

    /// The same, with moods that lead to their continents, as in version 3 of the book's model.
    private static func withContinents() throws -> ManagedObjectModel {
        try model(
            [toOne("continent", "Continent", "countries"), toMany("moods", "Mood", "country")],
            [
                toOne("country", "Country", "moods"), toMany("like", "Mood", "liked"),
                toMany("liked", "Mood", "like"), toOne("continent", "Continent", "moods"),
            ],
            [
                toMany("countries", "Country", "continent", isOrdered: true),
                toMany("moods", "Mood", "continent"),
            ])
    }

    /// All relationships with new names.
    private static func renamed() throws -> ManagedObjectModel {
        try model(
            [
                toOne("land", "Continent", "nations", was: "continent"),
                toMany("faces", "Mood", "nation", was: "moods"),
            ],
            [
                toOne("nation", "Country", "faces", was: "country"),
                toMany("kin", "Mood", "kinOf", was: "like"),
                toMany("kinOf", "Mood", "kin", was: "liked"),
            ],
            [toMany("nations", "Country", "land", isOrdered: true, was: "countries")])
    }

    // MARK: Files

    private struct Link {
        var name: String
        var path: String?
        var mapping: String?
        var more: [String: String] = [:]
    }

    /// A mapping model as Xcode writes it: each entity to itself, with the attribute `number`.
    private func file(
        _ links: [String: [Link]], entity more: [String: String] = [:], in folder: ScratchFolder
    ) throws -> URL {
        var objects = ""
        var next = 10
        func add(_ type: String, _ attributes: [String: String], _ relationships: [String: [String]] = [:])
            -> String
        {
            next += 1
            objects += "<object type=\"\(type)\" id=\"z\(next)\">"
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
                let kind = name == "autogenerateexpression" ? "bool" : "string"
                objects += "<attribute name=\"\(name)\" type=\"\(kind)\">\(value)</attribute>"
            }
            for (name, keys) in relationships.sorted(by: { $0.key < $1.key }) {
                objects += "<relationship name=\"\(name)\" type=\"0/0\" destination=\"X\" "
                objects += "idrefs=\"\(keys.joined(separator: " "))\"></relationship>"
            }
            objects += "</object>"
            return "z\(next)"
        }
        var entities: [String] = []
        for (number, entity) in ["Mood", "Country", "Continent"].enumerated() {
            let attribute = add(
                "XDDEVATTRIBUTEMAPPING", ["name": "number", "autogenerateexpression": "1"])
            let members = links[entity, default: []].map { link in
                var values = ["name": link.name, "autogenerateexpression": "1"].merging(link.more) { $1 }
                if let path = link.path { values["sourcekeypath"] = path }
                if let mapping = link.mapping { values["sourcemappingname"] = mapping }
                return add("XDDEVRELATIONSHIPMAPPING", values)
            }
            entities.append(
                add(
                    "XDDEVENTITYMAPPING",
                    [
                        "sourcename": entity, "destinationname": entity, "autogenerateexpression": "1",
                        "mappingnumber": "\(number + 1)", "mappingtypename": "Undefined",
                    ].merging(more) { $1 },
                    ["attributemappings": [attribute], "relationshipmappings": members]))
        }
        _ = add("XDDEVMAPPINGMODEL", [:], ["entitymappings": entities])
        let url = folder.url.appending(path: "xcmapping.xml")
        try Data(
            """
            <?xml version="1.0"?><database><databaseInfo><UUID>u</UUID><nextObjectID>99</nextObjectID>\
            <metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>\
            </metadata></databaseInfo>\(objects)</database>
            """.utf8
        ).write(to: url)
        return url
    }

    /// The links of the book's mapping from version 2 to 3.
    private static let bookLinks: [String: [Link]] = [
        "Mood": [
            Link(name: "country", path: "$source.country", mapping: "CountryToCountry"),
            Link(name: "continent", path: "$source.country.continent", mapping: "ContinentToContinent"),
            Link(name: "like"), Link(name: "liked"),
        ],
        "Country": [Link(name: "moods"), Link(name: "continent")],
        "Continent": [
            Link(name: "countries"),
            Link(name: "moods", path: "$source.countries.@distinctUnionOfSets.moods", mapping: "MoodToMood"),
        ],
    ]

    // MARK: Graphs

    private func makeStore(_ seed: UInt64, at url: URL) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.before())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            var random = SplitMix64(seed: seed)
            func make(_ entity: String, _ count: Int, _ context: isolated ManagedObjectContext) throws
                -> [ManagedObject]
            {
                var objects: [ManagedObject] = []
                for number in 0..<count {
                    let object = try context.insert(entityNamed: entity)
                    try object.setValue(Int64(number), forKey: "number")
                    objects.append(object)
                }
                return objects
            }
            let continents = try make("Continent", Int.random(in: 1...3, using: &random), context)
            let countries = try make("Country", Int.random(in: 1...6, using: &random), context)
            let moods = try make("Mood", Int.random(in: 0...12, using: &random), context)
            for country in countries.shuffled(using: &random) where Bool.random(using: &random) {
                try country.setValue(continents.randomElement(using: &random), forKey: "continent")
            }
            for mood in moods {
                if Int.random(in: 0..<4, using: &random) > 0 {
                    try mood.setValue(countries.randomElement(using: &random), forKey: "country")
                }
                let some = moods.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                try mood.setValue(Set(some), forKey: "like")
            }
            try context.save()
        }
        try coordinator.close()
    }

    private func sql(_ url: URL, _ statement: String) throws -> String {
        try shell("sqlite3 '\(url.path)' \"\(statement)\"")
    }

    /// All rows of all tables with a name, in order.
    private func contents(_ url: URL) throws -> String {
        let tables = try sql(
            url,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z[_A-Z]*' AND name NOT IN "
                + "('Z_METADATA', 'Z_MODELCACHE', 'Z_PRIMARYKEY') ORDER BY name")
        return try tables.split(separator: "\n").map { table in
            // The version of a row counts how often a migration wrote it.
            let rows = try shell(
                "sqlite3 -json '\(url.path)' 'SELECT * FROM \(table)' | sed 's/,\"Z_OPT\":[0-9]*//' | sort")
            return "\(table)\n\(rows)"
        }
        .joined(separator: "\n")
    }

    private func migrated(_ mapping: MappingModel, _ seed: UInt64, _ folder: ScratchFolder, _ name: String)
        throws -> URL
    {
        let url = folder.url.appending(path: "\(name).sqlite")
        try makeStore(seed, at: url)
        try Migration(versions: [mapping.source, mapping.destination], mappings: [mapping])
            .migrateStore(at: url)
        return url
    }

    @Test func `a relationship leads where key path and mapping name of the editor say`() throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let folder = try ScratchFolder()
            let before = folder.url.appending(path: "before.sqlite")
            try makeStore(seed, at: before)
            let wanted = try sql(
                before,
                "SELECT m.ZNUMBER, c.ZNUMBER, k.ZNUMBER FROM ZMOOD m "
                    + "LEFT JOIN ZCOUNTRY c ON c.Z_PK = m.ZCOUNTRY "
                    + "LEFT JOIN ZCONTINENT k ON k.Z_PK = c.ZCONTINENT ORDER BY 1")
            let (first, second) = (try Self.before(), try Self.withContinents())
            let file = try MappingModel(
                contentsOf: self.file(Self.bookLinks, in: folder), from: first, to: second)
            // From one side only: the other follows.
            let code = [
                try MappingModel(
                    from: first, to: second,
                    entities: [
                        EntityMapping(
                            from: "Mood", to: "Mood",
                            properties: ["continent": .property("country.continent")])
                    ]),
                try MappingModel(
                    from: first, to: second,
                    entities: [
                        EntityMapping(
                            from: "Continent", to: "Continent",
                            properties: ["moods": .targets("countries.moods", from: "Mood", to: "Mood")])
                    ]),
            ]
            let url = try migrated(file, seed, folder, "file")
            #expect(
                try sql(
                    url,
                    "SELECT m.ZNUMBER, c.ZNUMBER, k.ZNUMBER FROM ZMOOD m LEFT JOIN ZCOUNTRY c "
                        + "ON c.Z_PK = m.ZCOUNTRY LEFT JOIN ZCONTINENT k ON k.Z_PK = m.ZCONTINENT ORDER BY 1")
                    == wanted)
            for (index, mapping) in code.enumerated() {
                let other = try migrated(mapping, seed, folder, "code\(index)")
                #expect(try contents(other) == contents(url), "seed \(seed), \(index)")
            }
        }
    }

    @Test func `a mapping by file, by code, and the inferred one give the same graph`() throws {
        let renamed: [String: [Link]] = [
            "Mood": [
                Link(name: "nation", path: "$source.country", mapping: "CountryToCountry"),
                Link(name: "kin", path: "$source.like", mapping: "MoodToMood"),
                Link(name: "kinOf", path: "$source.liked"),
            ],
            "Country": [
                Link(name: "faces", path: "$source.moods"),
                Link(name: "land", path: "$source.continent", mapping: "ContinentToContinent"),
            ],
            "Continent": [Link(name: "nations", path: "$source.countries", mapping: "CountryToCountry")],
        ]
        var links = 0
        for seed in 20...31 as ClosedRange<UInt64> {
            let folder = try ScratchFolder()
            let (first, second) = (try Self.before(), try Self.renamed())
            let inferred = try migrated(MappingModel(from: first, to: second), seed, folder, "inferred")
            let wanted = try contents(inferred)
            links += wanted.matches(of: /"ZNATION":[0-9]/).count
            let file = try MappingModel(contentsOf: self.file(renamed, in: folder), from: first, to: second)
            #expect(try contents(migrated(file, seed, folder, "file")) == wanted, "seed \(seed)")
            let entities = renamed.map { entity, links in
                EntityMapping(
                    from: entity, to: entity,
                    properties: Dictionary(
                        uniqueKeysWithValues: links.map {
                            ($0.name, .property(String(($0.path ?? "").dropFirst(8))))
                        }))
            }
            let code = try MappingModel(from: first, to: second, entities: entities)
            #expect(try contents(migrated(code, seed, folder, "code")) == wanted, "seed \(seed)")
        }
        #expect(links > 20)
    }

    // MARK: Refusals

    @Test(arguments: [
        (["sourcekeypath": "$source.nation"], "Mood.nation, which is not there"),
        (["sourcekeypath": "$source.country.@max.continent"], "@max is not supported"),
        (["sourcekeypath": "$entityMapping"], "entityMapping is not supported"),
        (["sourcekeypath": "$source.like.country.continent"], "to one object.*to many"),
        (["sourcekeypath": "$source.country.number"], "no relationship"),
        (["sourcekeypath": "$source.country.@distinctUnionOfSets"], "ends in no property"),
        (
            ["sourcekeypath": "$source.country.continent", "sourcemappingname": "LandToLand"],
            "mapping name LandToLand, of which there are 0"
        ),
        (
            ["sourcekeypath": "$source.country.continent", "sourcemappingname": "MoodToMood"],
            "what became Mood of Mood"
        ),
        (["sourcemappingname": "MoodToMood"], "mapping name MoodToMood, and no key path"),
        (["autogenerateexpression": "maybe"], "neither 1 nor 0"),
        (["predicateformat": "TRUEPREDICATE"], "Mood.continent has predicateformat, which is not supported"),
    ])
    func `what a relationship's mapping says and cannot be done is refused`(
        values: [String: String], reason: String
    ) throws {
        let folder = try ScratchFolder()
        let url = try file(["Mood": [Link(name: "continent", more: values)]], in: folder)
        let error = #expect(throws: MigrationError.self) {
            try MappingModel(contentsOf: url, from: Self.before(), to: Self.withContinents())
        }
        let text = "\(try #require(error))"
        #expect(text.range(of: reason, options: .regularExpression) != nil, "\(text)")
    }

    @Test(arguments: [
        (["mappingtypename": "Remove"], "mapping type remove, which contradicts its names"),
        (["mappingtypename": "Odd"], "mapping type odd"),
        (["sourceexpression": "x"], "has sourceexpression, which is not supported"),
    ])
    func `what an entity's mapping says and cannot be done is refused`(
        values: [String: String], reason: String
    ) throws {
        let folder = try ScratchFolder()
        let url = try file([:], entity: values, in: folder)
        let error = #expect(throws: MigrationError.self) {
            try MappingModel(contentsOf: url, from: Self.before(), to: Self.withContinents())
        }
        #expect("\(try #require(error))".contains(reason))
    }

    @Test func `a path in code that leads nowhere is refused`() throws {
        for (property, rule, reason) in [
            ("continent", PropertyMapping.property("country.land"), "Mood.country.land leads, which is no"),
            ("continent", .targets("country.continent", from: "Mood", to: "Mood"), "0 mappings do that"),
            ("number", .targets("country", from: "Country", to: "Country"), "is an attribute"),
            ("number", .property("like.number"), "no attribute of one object"),
        ] {
            let error = #expect(throws: MigrationError.self) {
                try MappingModel(
                    from: Self.before(), to: Self.withContinents(),
                    entities: [EntityMapping(from: "Mood", to: "Mood", properties: [property: rule])])
            }
            #expect("\(try #require(error))".contains(reason))
        }
    }
}
