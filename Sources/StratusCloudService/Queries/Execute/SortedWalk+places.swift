import StratusCloudModel
import StratusCloudStore

extension SortedWalk {
    // MARK: - By distance

    mutating func walkPlaces(
        _ prefix: [SortComponent], around center: Location, from start: SortedPosition?
    ) throws -> Bool {
        let field = order.sorts[prefix.count].field
        var first: (distance: Double, cell: Cell)?
        if case .place(let distance, let cell)? = start?.components[prefix.count] { first = (distance, cell) }
        let isBehind = start?.tail == .end && start?.components.count == prefix.count + 1
        var rings = DistanceRings(
            from: first?.distance ?? 0, to: greatestDistance(in: field, from: center), center: center,
            wanted: firstChunk)
        while let ring = rings.next {
            let most = rings.mayShrink ? max(4 * wanted, 512) : Int.max
            guard
                let cells = try PlaceGroup.groups(
                    in: ring, field: field, factory: factory, reader: reader, most: most)
            else {
                rings.shrink()
                continue
            }
            let rest = cells.drop { group in
                guard let first else { return false }
                let isSame = (group.distance, group.cell) == (first.distance, first.cell)
                return isSame ? isBehind : (group.distance, group.cell) < (first.distance, first.cell)
            }
            guard try walk(rest, prefix, from: start) else { return false }
            frontier = SortedPosition(
                components: prefix + [.place(distance: ring.outer, Cell(rawValue: 0))], tail: .start)
            rings.advance(found: cells.count)
            guard mayGoOn else { return false }
        }
        return true
    }

    mutating func walk(
        _ groups: ArraySlice<PlaceGroup>, _ prefix: [SortComponent], from start: SortedPosition?
    ) throws -> Bool {
        var records: [IndexedRecord] = []
        for (index, group) in zip(groups.indices, groups) {
            records += group.records ?? []
            let isLarge = group.records == nil
            let next = index + 1
            let isBatch =
                records.count >= reader.work.recordsPerFetch || next == groups.endIndex
                || isLarge || groups[next].records == nil
            guard isBatch else { continue }
            if isLarge {
                let isStart = start?.components[prefix.count] == group.component
                guard try walk(prefix + [group.component], from: isStart ? start : nil) else { return false }
            } else {
                guard try add(records, under: prefix, from: start) else { return false }
                records.removeAll(keepingCapacity: true)
            }
            frontier = SortedPosition(components: prefix + [group.component], tail: .end)
            guard mayGoOn else { return false }
        }
        return true
    }

    /// Metres beyond which filters exclude every place; a place may be a little farther than its cell's middle.
    func greatestDistance(in field: QueryableField, from center: Location) -> Double {
        var greatest = ModelLimits.greatestDistance
        for filter in query.filters where filter.fields == [field] {
            guard case .circle(let middle, let radius) = filter.operand else { continue }
            greatest = min(greatest, radius + Geodesic.distance(middle, center))
        }
        return greatest < Geodesic.exactDistances ? greatest + 1 : ModelLimits.greatestDistance
    }
}
