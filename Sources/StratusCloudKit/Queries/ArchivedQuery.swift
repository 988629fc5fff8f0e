import Foundation
import StratusCloudModel
import StratusCloudWire
import StratusCompatibility
import StratusCoreLocation

/// Queries in archives: as they are sent, so that every value comes back with its type and bits; a predicate that cannot be
/// sent as its format.
struct ArchivedQuery {
    private enum Key {
        static let query = "Query"
        static let format = "PredicateFormat"
    }

    /// Nobody is signed in in an archive: the current user stays `__defaultOwner__`.
    private static let names = IdentityNames(currentUser: nil)

    var predicate: NSPredicate
    var sortDescriptors: [NSSortDescriptor]?

    init(predicate: NSPredicate, sortDescriptors: [NSSortDescriptor]? = nil) {
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }

    /// nil if the archive is not whole.
    init?(coder: NSCoder) {
        if let data = coder.decoded(NSData.self, Key.query) as Data? {
            guard let request = try? RequestDecoder().queryRecords([UInt8](data)).request,
                let predicate = try? PredicateFromFilters(names: Self.names).predicate(request.query.filters)
            else { return nil }
            self.init(predicate: predicate)
            let sorts = request.query.sorts
            sortDescriptors = sorts.isEmpty ? nil : sorts.map(Self.descriptor)
        } else {
            guard let format = coder.decoded(NSString.self, Key.format) as String?,
                let predicate = try? NSPredicate(validating: format, argumentArray: nil)
            else { return nil }
            self.init(predicate: predicate)
        }
    }

    func encode(_ recordType: String, with coder: NSCoder) {
        let query = CKQuery(recordType, predicate)
        query.sortDescriptors = sortDescriptors
        // What is not translated or has no JSON goes as its format.
        if let translated = try? QueryTranslation(names: Self.names).query(query),
            let bytes = try? RequestEncoder().queryRecords(QueryRecordsRequest(query: translated))
        {
            coder.encode(Data(bytes) as NSData, forKey: Key.query)
        } else {
            coder.encode(predicate.predicateTree.description as NSString, forKey: Key.format)
        }
    }

    private static func descriptor(_ sort: Sort) -> NSSortDescriptor {
        let key =
            switch sort.field {
            case .named(let name): name
            case .system(let field): field.rawValue
            }
        guard let place = sort.relativeLocation else { return NSSortDescriptor(key: key, ascending: sort.ascending) }
        return CKLocationSortDescriptor(key: key, relativeLocation: CLLocation(place))
    }
}
