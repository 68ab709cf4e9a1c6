/// The objects of one store's family of entities, by key, none of them held.
///
/// Pages of 64 keys, found by the key's upper bits: rows that were saved together are read together, so that
/// one page answers for its neighbors. Finding, entering and removing are O(1), in a tenth of what a
/// dictionary of objects takes in a fetch of 100,000 (its hash sends each of them to another cache line).
///
/// The references are `unowned` and not `weak`: a weak one gives each object a table of its own (33 bytes an
/// object, as measured), through which every retain goes from then on. Who finds an object that is just
/// going, on another thread than the context's, is stopped as by any other use off the queue.
///
/// Unchecked, since a table is used under its registry's lock, and the objects it tells of on their context's
/// queue.
struct ObjectTable: @unchecked Sendable {
    private struct Reference {
        unowned let object: ManagedObject
    }

    private static let bits: Int64 = 6
    private static let size = 1 << Int(bits)

    /// Page by page.
    private var references: [Reference?] = []
    /// Which object each reference leads to: compared without retaining one that may be on its way out.
    private var identities: [ObjectIdentifier?] = []
    /// How many objects each page has.
    private var counts: [Int] = []
    private(set) var count = 0
    /// Pages without objects, to be used for other keys.
    private var freePages: [Int] = []
    /// Pages by their keys' upper bits.
    private var pages: [Int64: Int] = [:]
    /// The page that was asked for last. -1, which is no key's, at first.
    private var lastNumber: Int64 = -1
    private var lastPage = 0

    subscript(key: Int64) -> ManagedObject? {
        mutating get {
            guard let page = page(key >> Self.bits) else { return nil }
            return references[Self.slot(key, page)]?.object
        }
    }

    /// An object that had the key before is forgotten.
    mutating func enter(_ object: ManagedObject, at key: Int64) {
        let number = key >> Self.bits, page = page(number) ?? makePage(number)
        let slot = Self.slot(key, page)
        if identities[slot] == nil {
            counts[page] += 1
            count += 1
        }
        identities[slot] = ObjectIdentifier(object)
        references[slot] = Reference(object: object)
    }

    /// Takes the object out; one that another has replaced is not there any more.
    mutating func remove(_ identity: ObjectIdentifier, at key: Int64) {
        let number = key >> Self.bits
        guard let page = page(number) else { return }
        let slot = Self.slot(key, page)
        guard identities[slot] == identity else { return }
        identities[slot] = nil
        references[slot] = nil
        counts[page] -= 1
        count -= 1
        if counts[page] > 0 { return }
        pages[number] = nil
        freePages.append(page)
        lastNumber = -1
    }

    var objects: [ManagedObject] { references.compactMap { $0?.object } }

    private static func slot(_ key: Int64, _ page: Int) -> Int {
        page * size + (Int(truncatingIfNeeded: key) & (size - 1))
    }

    private mutating func page(_ number: Int64) -> Int? {
        if number == lastNumber { return lastPage }
        guard let page = pages[number] else { return nil }
        (lastNumber, lastPage) = (number, page)
        return page
    }

    private mutating func makePage(_ number: Int64) -> Int {
        let page = freePages.popLast() ?? counts.count
        if page == counts.count {
            counts.append(0)
            references.append(contentsOf: repeatElement(nil, count: Self.size))
            identities.append(contentsOf: repeatElement(nil, count: Self.size))
        }
        pages[number] = page
        (lastNumber, lastPage) = (number, page)
        return page
    }
}
