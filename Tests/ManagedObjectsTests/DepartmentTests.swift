import Foundation
import ManagedObjects
import Testing

/// The guide's example: people in the departments they work in.
@Suite struct DepartmentTests {
    final class Department: ManagedObject {
        @Attribute var name: String
        @Relationship(inverse: "department") var employees: Set<Employee>
    }

    class Person: ManagedObject {
        @Attribute var firstName: String
        @Attribute var lastName: String
        override class var isAbstractEntity: Bool { self == Person.self }
    }

    final class Employee: Person {
        @Relationship(inverse: \Department.employees) var department: Department?
    }

    /// The one that has the stack, and hands its context to those who need it.
    final class DataController: Sendable {
        let managedObjectContext: ManagedObjectContext

        init() throws {
            let model = try ManagedObjectModel(Person.self, Employee.self, Department.self)
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: .inMemory)
            managedObjectContext = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        }
    }

    @Test func `employees stand in sections by the names of their departments, by last names in each`() throws
    {
        let dataController = try DataController()
        try dataController.managedObjectContext.performAndWait { context in
            let people = [
                ("Sales", "Ida", "Zorn"), ("Accounts", "Bo", "Lind"), ("Sales", "Ann", "Abel"),
                ("Accounts", "Cy", "Berg"),
            ]
            var departments: [String: Department] = [:]
            for (name, first, last) in people {
                let department = departments[name] ?? context.insert(Department.self)
                departments[name] = department
                department.name = name
                let employee = context.insert(Employee.self)
                (employee.firstName, employee.lastName, employee.department) = (first, last, department)
            }
            try context.save()
            let list = FetchedResultsController(
                fetchRequest: FetchRequest<Employee>(
                    sortedBy: .ascending(\.department?.name), .ascending(\.lastName)),
                managedObjectContext: context, sectionNameKeyPath: try SectionName(\.department?.name))
            try list.performFetch()
            #expect(list.sections?.map(\.name) == ["Accounts", "Sales"])
            #expect(list.sections?.map(\.numberOfObjects) == [2, 2])
            #expect(
                (0..<2).map { list.objects(inSection: $0).map(\.lastName) } == [
                    ["Berg", "Lind"], ["Abel", "Zorn"],
                ])
            #expect(list.object(at: IndexPath(row: 1, section: 1))?.firstName == "Ida")
            // People of every kind are found by what all have.
            #expect(try context.count(FetchRequest<Person>(\.lastName > "C")) == 2)
        }
    }
}
