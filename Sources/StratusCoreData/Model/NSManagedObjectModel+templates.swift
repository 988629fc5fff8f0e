import Foundation
import StratusCompatibility

extension NSManagedObjectModel {
    /// Returns the fetch request that the model has under a name.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        fetchRequestTemplatesByName[name]
    }

    /// Gives the model a fetch request under a name, or takes it away.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        fetchRequestTemplatesByName[name] = fetchRequestTemplate
    }

    /// Returns a copy of the fetch request that the model has under a name, with values in the place of variables.
    /// Variables without a value stay variables; Apple raises an exception then.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = fetchRequestTemplatesByName[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Returns copies of another model's templates, whose entities are those of this model.
    func copies(
        of templates: [String: NSFetchRequest<any NSFetchRequestResult>]
    ) -> [String: NSFetchRequest<any NSFetchRequestResult>] {
        let entities = entitiesByName
        return templates.compactMapValues { template in
            let copy = template.copy() as? NSFetchRequest<any NSFetchRequestResult>
            copy?.settings.subject.move(to: entities)
            return copy
        }
    }
}
