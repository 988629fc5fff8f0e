import Foundation

/// The items in the scopes of a query at one time.
struct MetadataScan {
    /// The directories whose changes matter.
    private(set) var directories: Set<String> = []
    /// The canonical paths of the items. Placeholders count as the items that they stand for.
    private(set) var items: Set<String> = []

    /// Looks through the containers of the account.
    /// - Parameters:
    ///   - documents: Whether their `Documents` folders are looked through.
    ///   - data: Whether the rest of them is.
    init(account: UbiquityAccount?, documents: Bool, data: Bool) {
        guard let account, let base = UbiquityContainer.directory(of: account) else { return }
        // Containers that are made later.
        directories.insert(CoordinatedPath.canonical(base))
        for container in UbiquityContainer.all(of: account) {
            let root = container.path
            let documentsPath = root + "/Documents"
            if documents { add(contentsOf: documentsPath, except: []) }
            if data { add(contentsOf: root, except: [documentsPath, root + "/" + UbiquityContainer.ownFolder]) }
            directories.insert(root)
        }
    }

    private mutating func add(contentsOf directory: String, except left: Set<String>) {
        directories.insert(directory)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            let path = directory + "/" + name
            guard !left.contains(path) else { continue }
            if let item = UbiquityState.item(ofPlaceholder: path) {
                items.insert(item)
                continue
            }
            // Hidden files are no documents: also those under which documents are written before they are put in place.
            guard !name.hasPrefix(".") else { continue }
            items.insert(path)
            let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            guard type == .typeDirectory else { continue }
            // A package is one item; what changes in it changes the item.
            if FilePackage.isPackage(path) { directories.insert(path) } else { add(contentsOf: path, except: []) }
        }
    }
}
