import CoreData
import Foundation

@objc(Entry)
public class Entry: NSManagedObject {
    public override func awakeFromInsert() {
        super.awakeFromInsert()
        date = Date(timeIntervalSinceReferenceDate: 0)
    }
}
