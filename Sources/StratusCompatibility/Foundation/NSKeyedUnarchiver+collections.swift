import Foundation

extension NSKeyedUnarchiver {
    /// The array of an archive, whose members are all of one class; nil if it holds something else.
    public static func unarchivedArrayOfObjects<Member: NSObject & NSCoding>(
        ofClass cls: Member.Type, from data: Data
    ) throws -> [Member]? {
        try unarchivedObject(ofClasses: [NSArray.self, cls], from: data) as? [Member]
    }

    /// The dictionary of an archive, whose keys and values are each of one class; nil if it holds something else.
    public static func unarchivedDictionary<Key: NSObject & NSCopying & NSCoding, Value: NSObject & NSCoding>(
        ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data
    ) throws -> [Key: Value]? {
        try unarchivedObject(ofClasses: [NSDictionary.self, keyType, valueType], from: data) as? [Key: Value]
    }
}
