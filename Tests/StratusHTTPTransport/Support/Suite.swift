import Testing

/// All tests of the room, one after the other: some measure the process's memory or descriptors.
@Suite(.serialized) struct HTTPTransportTests {}
