import Foundation

/// The settings of a fetch request, which the requests that it is cast to share.
final class FetchContent {
    var settings = FetchSettings()
    var isFrozen = false
}

/// A fetch request whose type of results is not known.
protocol AnyFetchRequest: NSPersistentStoreRequest {
    var content: FetchContent { get }
    var settings: FetchSettings { get set }
}

extension AnyFetchRequest {
    /// A request for the same objects without a certain type of results.
    var erased: NSFetchRequest<any NSFetchRequestResult> { typed() }

    /// Returns the request with another type of results. A change of one of the two changes the other.
    func typed<ResultType>() -> NSFetchRequest<ResultType> {
        self as? NSFetchRequest<ResultType> ?? NSFetchRequest(sharing: content)
    }
}

infix operator ==>! : CastingPrecedence
infix operator ==>? : CastingPrecedence

/// Casts to a fetch request with a certain type of results, and stops the program if the value is no fetch request.
///
/// Swift does not cast between fetch requests with different types of results. `CoreDataSourcesPlugin` puts this operator
/// in the place of `as!`.
public func ==>! <ResultType>(value: Any?, type: NSFetchRequest<ResultType>.Type) -> NSFetchRequest<ResultType> {
    guard let request = value ==>? type else {
        preconditionFailure("a value is no fetch request, and is cast to one")
    }
    return request
}

/// Casts to a fetch request with a certain type of results; nil if the value is no fetch request. It stands for `as?`.
public func ==>? <ResultType>(value: Any?, type: NSFetchRequest<ResultType>.Type) -> NSFetchRequest<ResultType>? {
    (value as? any AnyFetchRequest)?.typed()
}
