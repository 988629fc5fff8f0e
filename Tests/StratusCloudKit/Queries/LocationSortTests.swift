import CloudKit
import Testing

/// `CKLocationSortDescriptor` is a sort descriptor as any other.
@Suite struct LocationSortTests {
    private let berlin = CLLocation(latitude: 52.52, longitude: 13.405)

    private func place(_ name: String, _ latitude: Double?) -> CKRecord {
        let record = note(name)
        record["place"] = latitude.map { CLLocation(latitude: $0, longitude: 13.405) }
        return record
    }

    @Test func sortsRecordsThatAreHere() {
        let records = [place("nowhere", nil), place("far", 40), place("near", 52), place("here", 52.52)]
        let nearest = CKLocationSortDescriptor(key: "place", relativeLocation: berlin)
        let sorted = (records as NSArray).sortedArray(using: [nearest]) as? [CKRecord]
        #expect(sorted?.map(\.recordID.recordName) == ["here", "near", "far", "nowhere"])
        #expect(nearest.compare(records[1], to: records[2]) == .orderedDescending)
        let backwards = nearest.reversedSortDescriptor as? NSSortDescriptor
        #expect(backwards?.compare(records[1], to: records[2]) == .orderedAscending)
    }

    @Test func hasAKeyAndEquality() {
        let descriptors: [NSSortDescriptor] = [
            CKLocationSortDescriptor(key: "place", relativeLocation: berlin),
            CKLocationSortDescriptor(key: "place", relativeLocation: berlin),
            CKLocationSortDescriptor(key: "other", relativeLocation: berlin),
            NSSortDescriptor(key: "place", ascending: true),
        ]
        #expect(descriptors[0].key == "place" && descriptors[0].ascending)
        #expect(descriptors[0] == descriptors[1] && descriptors[0].hash == descriptors[1].hash)
        #expect(
            descriptors[0] != descriptors[2] && descriptors[0] != descriptors[3] && descriptors[3] != descriptors[0])
        #expect((descriptors[0].copy() as? CKLocationSortDescriptor)?.relativeLocation == berlin)
    }
}
