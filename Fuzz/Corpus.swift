/// Valid bodies, small, that between them use every key.
enum Corpus {
    static let fields = [
        #""s":{"value":"Hi","type":"STRING"}"#, #""i":{"value":5}"#, #""d":{"value":2.5,"type":"DOUBLE"}"#,
        #""t":{"value":1422312944104,"type":"TIMESTAMP","exactReferenceSeconds":444005744.10412345}"#,
        #""b":{"value":"AAEC","type":"BYTES"}"#, #""e":{"value":"AA==","type":"ENCRYPTED_BYTES"}"#,
        #""l":{"value":{"latitude":48.1,"longitude":-11.5,"timestamp":1422312944104,"speed":"2.5"},"type":"LOCATION"}"#,
        #""r":{"value":{"recordName":"R","action":"None","zoneID":{"zoneName":"Z"}},"type":"REFERENCE"}"#,
        #""a":{"value":{"fileChecksum":"c","size":12,"receipt":"r","wrappingKey":"w"},"type":"ASSETID"}"#,
        #""sl":{"value":["a","b"],"type":"STRING_LIST"}"#, #""il":{"value":[1,"2"],"type":"INT64_LIST"}"#,
        #""tl":{"value":[1000,2000],"exactReferenceSeconds":[null,-978307198.0]}"#, #""n":{"value":null}"#,
        #""x":{"value":"secret","type":"STRING","isEncrypted":true}"#, #""o":{"value":true}"#,
        #""u":{"value":[],"type":"UNKNOWN_LIST"}"#, #""rl":{"value":[{"recordName":"R"}],"type":"LIST"}"#,
    ]

    static let modifications =
        fields.map { field in
            bytes(#"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"A","fields":{\#(field)}}}]}"#)
        } + [
            bytes(
                #"{"operations":[{"operationType":"create","desiredKeys":["s"],"record":{"recordName":"A","#
                    + #""recordType":"T","recordChangeTag":"1e","createShortGUID":true,"parent":{"recordName":"P"},"#
                    + #""fields":{\#(fields.joined(separator: ","))}}}],"zoneID":{"zoneName":"Z","ownerName":"_o"},"#
                    + #""atomic":false,"desiredKeys":[],"numbersAsStrings":true}"#),
            bytes(#"{"operations":[{"operationType":"delete","record":{"recordName":"A","parent":null}}]}"#),
            bytes(
                #"{"operations":[{"operationType":"create","record":{"recordName":"S","recordType":"cloudkit.share","#
                    + #""forRecord":{"recordName":"A","recordChangeTag":"1e"},"publicPermission":"READ_ONLY","#
                    + #""denyAccessRequests":false,"requesters":[{"userRecordName":"_r"}],"#
                    + #""blocked":[{"userIdentity":{"userRecordName":"_b"}}],"participants":[{"type":"ADMINISTRATOR","#
                    + #""permission":"READ_WRITE","acceptanceStatus":"INVITED","#
                    + #""userIdentity":{"lookupInfo":{"emailAddress":"a@b.c"}}},{"participantId":"P","type":"USER"},"#
                    + #"{"userIdentity":{"lookupInfo":{"phoneNumber":"+491"}}},{"userIdentity":{"userRecordName":"_u"}}],"#
                    + #""fields":{"cloudkit.title":{"value":"T"}}}}],"zoneID":{"zoneName":"Z"}}"#),
        ]

    static let lookups = [
        bytes(#"{"records":[{"recordName":"A","desiredKeys":["s"]},{"recordName":"B"}],"zoneID":{"zoneName":"Z"}}"#)
    ]

    static let queries = [
        bytes(
            #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"s","#
                + #""fieldValue":{"value":"x","type":"STRING"}},{"comparator":"IN","systemFieldName":"recordName","#
                + #""fieldValue":{"value":["a","b"],"type":"STRING_LIST"}}],"sortBy":{"fieldName":"___createTime","#
                + #""ascending":false}},"zoneWide":true,"resultsLimit":10,"continuationMarker":"AA==","#
                + #""desiredKeys":["s"]}"#),
        bytes(
            #"{"query":{"recordType":"T","filterBy":{"comparator":"LESS_THAN","fieldName":"l","distance":100.5,"#
                + #""fieldValue":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}},"sortBy":[{"fieldName":"l","#
                + #""relativeLocation":{"latitude":1,"longitude":2}}]},"zoneID":{"zoneName":"Z"}}"#),
        bytes(
            #"{"query":{"recordType":"T","filterBy":[{"comparator":"CONTAINS_ANY_TOKENS","#
                + #""fieldValue":{"value":"a b"}},{"comparator":"GREATER_THAN","systemFieldName":"createdTimestamp","#
                + #""fieldValue":{"value":{"createdTimestamp":5}}}]}}"#),
    ]

    static let zoneLookups = [
        bytes(#"{"zones":[{"zoneName":"Z","ownerRecordName":"_o"},{"zoneID":{"zoneName":"Y"}}]}"#)
    ]

    static let zoneModifications = [
        bytes(
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}},"#
                + #"{"operationType":"delete","zone":{"zoneName":"Y"}}]}"#)
    ]

    static let zoneChanges = [
        bytes(
            #"{"zones":[{"zoneID":{"zoneName":"Z","ownerName":"_o"},"syncToken":"dG9rZW4=","resultsLimit":5,"#
                + #""desiredKeys":["s"],"desiredRecordTypes":["T"],"numbersAsStrings":true,"reverse":true},"#
                + #"{"zoneID":{"zoneName":"Y"}}],"resultsLimit":"7","desiredKeys":[],"numberAsStrings":false}"#)
    ]

    static let zoneChangesAnswers = [
        bytes(
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"records":[\#(record),{"recordName":"B","deleted":true,"#
                + #""zoneID":{"zoneName":"Z"},"deletedRecordType":"T"}],"syncToken":"t","moreComing":true},"#
                + #"{"zoneID":{"zoneName":"Y"},"serverErrorCode":"BAD_REQUEST","reason":"r","#
                + #""extensionErrorCode":"CHANGE_TOKEN_EXPIRED"}]}"#)
    ]

    static let subscriptionModifications = [
        bytes(
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"S","subscriptionType":"query","#
                + #""query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"s","#
                + #""fieldValue":{"value":"x","type":"STRING"}}]},"firesOn":["create","delete"],"firesOnce":true,"#
                + #""zoneWide":false,"notificationInfo":{"alertBody":"b","alertLocalizationKey":"k","#
                + #""alertLocalizationArgs":["s"],"title":"t","subtitleLocalizationKey":"u","soundName":"p","#
                + #""alertActionLocalizationKey":"a","alertLaunchImage":"l","shouldBadge":true,"category":"c","#
                + #""shouldSendContentAvailable":true,"shouldSendMutableContent":true,"collapseIDKey":"i","#
                + #""additionalFields":["s","n"]}}}]}"#),
        bytes(
            #"{"operations":[{"operationType":"update","subscription":{"subscriptionType":"zone","recordType":"T","#
                + #""zoneID":{"zoneName":"Z","ownerRecordName":"_o"}}},{"operationType":"create","subscription":{"#
                + #""subscriptionType":"database"}},{"operationType":"delete","subscription":{"subscriptionID":"S"}}]}"#
        ),
    ]

    static let subscriptionLookups = [bytes(#"{"subscriptions":[{"subscriptionID":"S"},"T"]}"#)]

    static let pushTokens = [
        bytes(#"{"apnsEnvironment":"production","apnsToken":"AAEC","clientId":"c"}"#),
        bytes(
            #"{"webPush":{"endpoint":"https://push.example/","keys":{"p256dh":"BAA_-w","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}}"#
        ),
    ]

    private static let stamp = #"{"timestamp":1422312944104,"userRecordName":"_u","deviceID":"iCloud"}"#
    static let record = record(fields.joined(separator: ","))

    private static func record(_ fields: String) -> String {
        #"{"recordName":"A","recordType":"T","recordChangeTag":"1e","created":\#(stamp),"modified":\#(stamp),"#
            + #""pluginFields":{},"deleted":false,"zoneID":{"zoneName":"Z","ownerRecordName":"_o"},"shortGUID":"g","#
            + #""parent":{"recordName":"P","action":"NONE"},"fields":{\#(fields)}}"#
    }

    static let records = fields.map { bytes(record($0)) } + [bytes(record)]

    /// A share record as its owner sees it.
    static let share: String = {
        let owner =
            #"{"participantId":"_o","userIdentity":{"userRecordName":"_o"},"type":"OWNER","permission":"READ_WRITE","#
            + #""acceptanceStatus":"ACCEPTED"}"#
        let guest =
            #"{"participantId":"P","userIdentity":{"lookupInfo":{"emailAddress":"a@b.c"}},"type":"USER","#
            + #""permission":"READ_ONLY","acceptanceStatus":"INVITED","isApprovedRequester":true,"#
            + #""oneTimeShortGUID":"g","dateAddedToShare":1422312944104}"#
        let stamp = #"{"timestamp":1,"userRecordName":"_o","deviceID":"2"}"#
        return
            #"{"recordName":"S","recordType":"cloudkit.share","recordChangeTag":"1","fields":{},"created":\#(stamp),"#
            + #""modified":\#(stamp),"deleted":false,"shortGUID":"s","publicPermission":"NONE","owner":\#(owner),"#
            + #""participants":[\#(owner),\#(guest)],"currentUserParticipant":\#(owner),"denyAccessRequests":false,"#
            + #""requesters":[{"userRecordName":"_r"}],"blocked":[{"userRecordName":"_b"}]}"#
    }()

    static let results =
        fields.map { bytes(#"{"records":[\#(record($0))]}"#) } + [
            bytes(#"{"records":[\#(share)]}"#),
            bytes(
                #"{"records":[\#(record),{"recordName":"B","deleted":true},{"recordName":"C","reason":"r","#
                    + #""serverErrorCode":"CONFLICT","retryAfter":5,"serverRecord":\#(record)}]}"#),
        ]

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
