import Foundation

/// The steps of a migration of objects, in Apple's order.
struct MigrationRun {
    private let manager: NSMigrationManager

    init(_ manager: NSMigrationManager) { self.manager = manager }

    func run() throws {
        let mappings = try manager.mappingModel.entityMappings.map { ($0, try manager.policy(of: $0)) }
        let steps = max(1, mappings.count * 3)
        var done = 0
        func each(_ step: (NSEntityMapping, NSEntityMigrationPolicy) throws -> Void) throws {
            for (mapping, policy) in mappings {
                manager.currentEntityMapping = mapping
                manager.currentPolicy = policy
                try step(mapping, policy)
                try check()
                done += 1
                manager.migrationProgress = Float(done) / Float(steps)
            }
        }
        try each { mapping, policy in
            try policy.begin(mapping, with: manager)
            for source in try manager.sources(of: mapping) {
                try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
                try check()
            }
            try policy.endInstanceCreation(forMapping: mapping, manager: manager)
        }
        try each { mapping, policy in
            for made in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: nil) {
                try policy.createRelationships(forDestination: made, in: mapping, manager: manager)
                try check()
            }
            try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
        }
        try each { mapping, policy in
            try policy.performCustomValidation(forMapping: mapping, manager: manager)
            try policy.end(mapping, manager: manager)
        }
        try manager.destinationContext.save()
    }

    /// Throws the error that a policy cancelled the migration with, or that an expression met.
    private func check() throws { if let failure = manager.failure { throw failure } }
}
