import GRDB

/// The tables of a store's file that rows and pairs are in, with their columns.
struct FileTables: Sendable {
    struct Column: Sendable, Equatable {
        let name: String
        /// As it was declared: `VARCHAR`.
        let type: String
    }

    struct Table: Sendable {
        let name: String
        var columns: [Column] = []
    }

    /// By name, in capitals.
    private var tables: [String: Table] = [:]

    init(in database: Database) throws {
        let statement = try RawStatement(
            """
            SELECT m.name, p.name, p.type FROM sqlite_master AS m, pragma_table_info(m.name) AS p \
            WHERE m.type = 'table' AND m.name LIKE 'Z%' AND m.sql LIKE 'CREATE TABLE%' ORDER BY m.name, p.cid
            """, in: database)
        while try statement.next() {
            guard case .text(let table) = statement.value(0), case .text(let column) = statement.value(1)
            else {
                continue
            }
            let type = if case .text(let type) = statement.value(2) { type.uppercased() } else { "" }
            tables[table.uppercased(), default: Table(name: table)].columns.append(
                Column(name: column, type: type))
        }
    }

    subscript(name: String) -> Table? { tables[name.uppercased()] }

    /// Tables that may hold the pairs of a relationship: `Z_12CATEGORIES`.
    var joins: [Table] {
        tables.filter { name, _ in
            name.hasPrefix("Z_") && name.dropFirst(2).first.map { ("0"..."9").contains($0) } ?? false
        }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Tables of entity hierarchies.
    var roots: [Table] {
        tables.filter { !$0.key.hasPrefix("Z_") && $0.value.columns.contains { $0.name == "Z_PK" } }
            .sorted { $0.key < $1.key }.map(\.value)
    }
}
