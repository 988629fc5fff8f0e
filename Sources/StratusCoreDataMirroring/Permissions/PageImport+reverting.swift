import StratusCoreData

// Records that take the place of changes that the server has forbidden.
extension PageImport {
    /// Forgets the deletions that the server has forbidden, so that the objects and links of the records are new.
    func forgetForbiddenDeletions() throws {
        for name in page.reverts {
            if let row = try session.record(named: name, exactlyIn: zone.number), row.export.pending == .delete {
                session.remove(row)
            }
            if let link = try session.link(named: name, in: zone.number), link.export.pending == .delete {
                session.remove(link)
            }
        }
    }

    /// Gives an object everything that its record has, whatever was changed here.
    func revert(_ object: NSManagedObject, _ state: inout RecordRow, to theirs: MirroredRow) throws {
        try objects.fill(object, with: theirs)
        var references: [String: String?] = [:]
        for reference in model.entity(named: theirs.entity)?.references ?? [] {
            references.updateValue(theirs.references[reference.name], forKey: reference.name)
        }
        note(references, of: object, state.name)
        state.export.pending = .nothing
    }
}
