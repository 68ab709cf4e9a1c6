import Foundation
import ManagedObjects
import Palettes

/// What a cell is to be able to do: show an object.
protocol ConfigurableCell {
    associatedtype DataSource
    init()
    mutating func configure(for object: DataSource)
}

/// Which cells a table shows its objects in.
protocol DataSourceDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject
    func cellIdentifier(for object: Object) -> String
}

/// Shows a provider's objects in cells, here as lines, and says what becomes of them. Knows neither moods nor
/// stores.
final class TableDataSource<Delegate: DataSourceDelegate, Cell: ConfigurableCell & CustomStringConvertible>
where Cell.DataSource == Delegate.Object {
    private weak var delegate: Delegate?
    private let provider: any DataProvider<Delegate.Object>

    init(_ provider: any DataProvider<Delegate.Object>, delegate: Delegate) {
        (self.provider, self.delegate) = (provider, delegate)
    }

    func show() {
        for section in 0..<provider.numberOfSections {
            let count = provider.numberOfItems(inSection: section)
            print("     \(count) \(count == 1 ? "row" : "rows")")
            for row in 0..<count { print("     \(line(at: [section, row]))") }
        }
    }

    private func line(at indexPath: IndexPath) -> String {
        let object = provider.object(at: indexPath)
        var cell = Cell()
        cell.configure(for: object)
        return "\(indexPath) \(delegate?.cellIdentifier(for: object) ?? "") \(cell)"
    }

    /// - Parameter updates: nil when everything is to be shown anew.
    func process(_ updates: [DataProviderUpdate<Delegate.Object>]?) {
        guard let updates else { return show() }
        for update in updates {
            switch update {
            case .insert(let indexPath): print("     insert \(line(at: indexPath))")
            case .update(let indexPath, _): print("     update \(indexPath)")
            case .move(let from, let to): print("     move \(from) to \(to)")
            case .delete(let indexPath): print("     delete \(indexPath)")
            case .insertSection(let section): print("     insert section \(section)")
            case .deleteSection(let section): print("     delete section \(section)")
            }
        }
    }
}

/// The day and the colors of a mood.
struct MoodCell: ConfigurableCell, CustomStringConvertible {
    private static let style = Date.ISO8601FormatStyle().year().month().day()
    private(set) var description = ""

    mutating func configure(for mood: Mood) {
        let colors = mood.colors.map(\.hex).joined(separator: " ")
        description = "\(mood.date.formatted(Self.style))  \(colors)"
    }
}

/// The screen with all moods.
final class MoodsTable: DataProviderDelegate, DataSourceDelegate {
    typealias Object = Mood
    private var dataSource: TableDataSource<MoodsTable, MoodCell>?
    private var dataProvider: FetchedResultsDataProvider<MoodsTable>?

    /// - Throws: ``StoreError``.
    init(_ context: isolated ManagedObjectContext) throws {
        var request = Mood.sortedFetchRequest
        request.fetchBatchSize = 20
        request.returnsObjectsAsFaults = false
        let list = context.list(request)
        let provider = try FetchedResultsDataProvider(list, delegate: self)
        dataProvider = provider
        dataSource = TableDataSource(provider, delegate: self)
        dataSource?.show()
    }

    func dataProviderDidUpdate(_ updates: [DataProviderUpdate<Mood>]?) { dataSource?.process(updates) }

    func cellIdentifier(for mood: Mood) -> String { "MoodCell" }

    var first: Mood? { dataProvider?.fetchedResultsController.fetchedObjects.first }
}

/// The screen with one mood. Goes when its mood goes, whoever took it away.
final class MoodDetail {
    let mood: Mood
    private var observer: ManagedObjectObserver?

    init(_ mood: Mood) {
        self.mood = mood
        observer = ManagedObjectObserver(object: mood) { change in
            if change == .delete { print("     the mood is gone: back to the table") }
        }
    }

    func deleteMood() {
        let reference = mood.reference
        mood.managedObjectContext?.performChanges { context in
            if let mood = context[reference] { context.delete(mood) }
        }
    }
}
