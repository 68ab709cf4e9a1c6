import Foundation
import Testing

@testable import ManagedObjects

final class Division: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Worker.department) var workers: Set<Worker>
    @Relationship(inverse: \Desk.department) var desks: Set<Desk>
}

final class Worker: ManagedObject {
    @Attribute var name: String
    @Attribute var salary: Double
    @Relationship(inverse: "workers") var department: Division?
    /// Cascades in a circle: who goes takes along whom he reports to, and so on.
    @Relationship(inverse: "reports", deleteRule: .cascade) var manager: Worker?
    @Relationship(inverse: "manager") var reports: Set<Worker>
    @Relationship(inverse: "worker", deleteRule: .noAction) var badge: WorkerBadge?
}

final class WorkerBadge: ManagedObject {
    @Attribute var number: Int64
    @Relationship(inverse: "badge") var worker: Worker?
}

final class Desk: ManagedObject {
    @Attribute var place: Int64
    @Relationship(inverse: "desks", isOptional: false) var department: Division?
}

/// The departments and employees of the sources (003, figure 7-4; 004).
@Suite(.everyStore) struct CompanyTests {
    private func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel(Division.self, Worker.self, WorkerBadge.self, Desk.self)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            for name in ["Marketing", "Sales"] {
                let department = context.insert(Division.self)
                department.name = name
                for number in 0..<4 {
                    let worker = context.insert(Worker.self)
                    (worker.name, worker.salary) = ("\(name) \(number)", Double(1_000 + number * 370 % 1_000))
                    worker.department = department
                }
            }
            try context.save()
        }
        return context
    }

    @Test func `everybody of the marketing department, by salary, highest first`() throws {
        try context().performAndWait { context in
            let request = FetchRequest(
                \Worker.department?.name == "Marketing", sortedBy: .descending(\.salary))
            let workers = try context.fetch(request)
            #expect(workers.map(\.name) == ["Marketing 2", "Marketing 1", "Marketing 3", "Marketing 0"])
            // They are the context's own: asked for again they are the same objects.
            let again = try context.fetch(request)
            let others = zip(workers, again).filter { $0 !== $1 }
            #expect(again.count == 4 && others.isEmpty)
            let none = try context.fetch(FetchRequest(\Worker.department?.name == "Law"))
            #expect(none.isEmpty)
        }
    }

    @Test func `a cascade goes round a circle once, and one undo brings all of it back`() throws {
        try context().performAndWait { context in
            let workers = try context.fetch(FetchRequest<Worker>(sortedBy: .ascending(\.name)))
            // Three in a circle, the fourth outside of it.
            for index in 0..<3 { workers[index].manager = workers[(index + 1) % 3] }
            workers[3].manager = workers[0]
            try context.save()
            context.undoManager = UndoManager()
            context.delete(workers[0])
            let taken = workers[...2].filter(\.isDeleted)
            #expect(taken.count == 3)
            #expect(!workers[3].isDeleted && workers[3].manager == nil)
            context.undo()
            let gone = workers.filter(\.isDeleted)
            #expect(gone.isEmpty)
            #expect(workers[3].manager === workers[0] && workers[2].manager === workers[0])
            context.delete(workers[0])
            try context.save()
            context.reset()
            #expect(try context.count(FetchRequest<Worker>()) == 5)
        }
    }

    @Test func `nullify that leaves a required relationship empty fails the save by name`() throws {
        try context().performAndWait { context in
            let department = try #require(try context.fetch(FetchRequest(\Division.name == "Sales")).first)
            let desk = context.insert(Desk.self)
            (desk.place, desk.department) = (1, department)
            try context.save()
            context.delete(department)
            #expect(desk.department == nil)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.property) == ["department"])
            #expect(error?.failures.first?.object == desk.objectID)
            context.rollback()
            #expect(desk.department === department)
        }
    }

    @Test func `no action leaves a key that leads to an object that is gone`() throws {
        try context().performAndWait { context in
            let worker = try #require(try context.fetch(FetchRequest(\Worker.name == "Sales 0")).first)
            let badge = context.insert(WorkerBadge.self)
            (badge.number, badge.worker) = (7, worker)
            try context.save()
            context.delete(worker)
            try context.save()
            context.reset()
            let left = try #require(try context.fetch(FetchRequest<WorkerBadge>()).first)
            if let gone = left.worker {
                #expect(throws: StoreError.objectGone(gone.objectID)) { try gone.fire() }
            } else {
                Issue.record("the key was taken away")
            }
        }
    }
}
