import Foundation
import StratusModelFiles

/// Values of the classes of property lists in keyed archives, without Foundation's unarchiver: on Linux it reads beyond the
/// end of a dictionary with a member that it cannot make.
enum ArchivedCollection {
    /// Foundation on Linux makes objects of `NSNull` that are equal and have different hash values, so that two sets with
    /// them are not equal.
    private static let null = NSNull()

    /// The object of an element; nil if anything in it is no value of those classes. The depth and number of objects are
    /// the caller's to check.
    static func object(_ element: ArchivedElement) -> NSObject? {
        guard let object = element.object else { return plain(element.value) }
        switch object.className {
        case "NSArray": return objects(object.elements).map(NSArray.init(array:))
        case "NSMutableArray": return objects(object.elements).map(NSMutableArray.init(array:))
        case "NSSet": return objects(object.elements).map(NSSet.init(array:))
        case "NSMutableSet": return objects(object.elements).map(NSMutableSet.init(array:))
        case "NSDictionary": return pairs(object).map { NSDictionary(objects: $0.objects, forKeys: $0.keys) }
        case "NSMutableDictionary":
            return pairs(object).map { NSMutableDictionary(objects: $0.objects, forKeys: $0.keys) }
        case "NSMutableString": return text(object).map(NSMutableString.init(string:))
        case "NSMutableData": return object.data("NS.data").map { NSMutableData(data: $0) }
        case "NSURL": return url(object).map { $0 as NSURL }
        case "NSNull": return null
        default: return value(object)
        }
    }

    private static func plain(_ node: PropertyListNode?) -> NSObject? {
        switch node {
        case .string(let text)?: text as NSString
        case .boolean(let flag)?: NSNumber(value: flag)
        case .integer(let number)?: NSNumber(value: number)
        case .double(let number)?: NSNumber(value: number)
        case .data(let bytes)?: Data(bytes) as NSData
        case nil, .null?, .date?, .uid?, .list?, .dictionary?: nil
        }
    }

    private static func value(_ object: ArchivedObject) -> NSObject? {
        switch ArchivedValue(object) {
        case .date(let date)?: date as NSDate
        case .string(let text)?: text as NSString
        case .uuid(let identifier)?: identifier as NSUUID
        case .data(let data)?: data as NSData
        case nil, .decimal?, .url?: nil
        }
    }

    private static func text(_ object: ArchivedObject) -> String? {
        guard case .string(let text)? = object.value("NS.string") else { return nil }
        return text
    }

    private static func url(_ object: ArchivedObject) -> URL? {
        guard let relative = object.text("NS.relative") else { return nil }
        guard let base = object.object("NS.base") else { return URL(string: relative) }
        // One base, as Foundation writes it: a base is absolute.
        guard let base = base.text("NS.relative").flatMap({ URL(string: $0) }) else { return nil }
        return URL(string: relative, relativeTo: base)
    }

    /// The objects of elements; nil if one of them has none.
    private static func objects(_ elements: [ArchivedElement]) -> [NSObject]? {
        let objects = elements.compactMap { object($0) }
        return objects.count == elements.count ? objects : nil
    }

    private static func pairs(_ object: ArchivedObject) -> (keys: [NSObject], objects: [NSObject])? {
        guard object.keys.count == object.elements.count, let keys = objects(object.keys),
            let values = objects(object.elements)
        else { return nil }
        return (keys, values)
    }

    /// Whether Foundation makes as many keys as objects of a dictionary in an archive with programs' own classes. Those
    /// are trusted to be made.
    static func isComplete(_ dictionary: ArchivedObject) -> Bool {
        let members = dictionary.keys + dictionary.elements
        guard NSClassFromString(dictionary.className) is NSDictionary.Type || !dictionary.keys.isEmpty else {
            return true
        }
        return dictionary.keys.count == dictionary.elements.count && members.allSatisfy(canBeMade)
    }

    private static func canBeMade(_ member: ArchivedElement) -> Bool {
        guard member.isReference else { return false }
        guard let object = member.object else { return plain(member.value) != nil }
        switch object.className {
        case "NSDate", "NSString", "NSUUID", "NSData": return value(object) != nil
        case "NSURL": return url(object) != nil
        case "NSMutableString": return text(object) != nil
        case "NSMutableData": return object.data("NS.data") != nil
        case "", "NSNumber": return false
        default: return true
        }
    }
}
