import MoodyModel

/// Files in the order they were found, packed: some 45 bytes per file, so that a library of millions fits.
package struct FoundFileList: RandomAccessCollection, Sendable {
    private var names = PackedNames()
    private var stamps = ChunkedArray<FileStamp>()
    /// The folders, each with the index of its first file. A folder comes again after its subfolders.
    private var folders: [(first: Int, folder: FoundFolder)] = []
    private var named: Set<Int> = []

    package init() {}

    package var startIndex: Int { 0 }
    package var endIndex: Int { stamps.count }

    mutating func append(_ file: FoundFile) {
        if folders.last?.folder !== file.folder { folders.append((stamps.count, file.folder)) }
        if file.isNamed { named.insert(stamps.count) }
        names.append(file.name)
        stamps.append(file.file)
    }

    /// - Complexity: O(log *n*) for *n* folders.
    package subscript(index: Int) -> FoundFile {
        var low = 0, high = folders.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if folders[middle].first <= index { low = middle } else { high = middle }
        }
        return FoundFile(
            folder: folders[low].folder, name: names[index], file: stamps[index],
            isNamed: named.contains(index))
    }
}
