import StratusCloudModel
import StratusCloudWire

/// Share links as they come from outside.
struct ShareLinksTarget: RequestTarget {
    let name = "share-links"

    var corpus: [[UInt8]] {
        [
            #"{"shortGUIDs":["a",{"value":"b"}]}"#,
            #"{"shortGUIDs":[{"value":"c","shouldFetchRootRecord":true,"rootRecordDesiredKeys":["title"]}]}"#,
            #"{"shortGUIDs":[{"value":"d","shouldFetchRootRecord":1}]}"#,
        ].map { Array($0.utf8) }
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> [ShareLinkRequest] { try RequestDecoder().shareLinks(body) }

    func encode(_ request: [ShareLinkRequest]) throws(CloudError) -> [UInt8] {
        try RequestEncoder().shareLinks(request)
    }
}

/// What a server says of share links, as the SDK reads it.
struct ShareLinkAnswerTarget: RequestTarget {
    let name = "share-link-answer"

    var corpus: [[UInt8]] {
        let share = Corpus.share
        return [
            #"{"results":[{"shortGUID":{"value":"a"},"reason":"r","serverErrorCode":"NOT_FOUND"}]}"#,
            #"{"results":[{"shortGUID":{"value":"b","shouldFetchRootRecord":true},"containerIdentifier":"iCloud.a","#
                + #""environment":"PRODUCTION","databaseScope":"SHARED","zoneID":{"zoneName":"Z","ownerRecordName":"_o"},"#
                + #""share":\#(share),"rootRecordName":"R","rootRecord":\#(Corpus.record),"participantType":"USER","#
                + #""participantStatus":"INVITED","participantPermission":"READ_ONLY","#
                + #""ownerIdentity":{"userRecordName":"_o","nameComponents":{"givenName":"A","familyName":"B"}}}]}"#,
        ].map { Array($0.utf8) }
    }

    func decode(_ body: [UInt8]) throws(CloudError) -> [ShareLinkResult] {
        try ResponseDecoder().shareLinkResults(body)
    }

    func encode(_ results: [ShareLinkResult]) throws(CloudError) -> [UInt8] {
        ResponseEncoder(context: WireContext(requestUUID: "U")).shareLinks(results) { _ in nil }
    }
}
