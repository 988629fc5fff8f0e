import Foundation
import StratusXML

/// Writes the XML of a data model that ``ModelReader`` reads: what decides how a store keeps the objects. Validation,
/// default values, classes and fetch requests are left out.
package enum ModelWriter {
    /// Returns the file of a model.
    package static func write(_ model: ModelDocument) -> [UInt8] {
        var text = XMLText.declaration + open("model", [("userDefinedModelVersionIdentifier", model.versionIdentifier)])
        for entity in model.entities { text += write(entity) }
        for (name, elements) in model.composites.sorted(by: { $0.key < $1.key }) {
            text += open("composite", [("name", name)]) + elements.map(write).joined() + "</composite>\n"
        }
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            text += open("configuration", [("name", name)])
            text += members.map { open("memberEntity", [("name", $0)], isEmpty: true) }.joined()
            text += "</configuration>\n"
        }
        return Array((text + "</model>\n").utf8)
    }

    private static func write(_ entity: ModelEntity) -> String {
        var text = open(
            "entity",
            [
                ("name", entity.name), ("isAbstract", flag(entity.isAbstract)), ("parentEntity", entity.parent),
                ("elementID", entity.renamingIdentifier), ("versionHashModifier", entity.versionHashModifier),
            ])
        text += entity.attributes.map(write).joined()
        text += entity.relationships.map(write).joined()
        if !entity.uniquenessConstraints.isEmpty {
            text += "<uniquenessConstraints>\n"
            for constraint in entity.uniquenessConstraints {
                text += "<uniquenessConstraint>\n"
                text += constraint.map { open("constraint", [("value", $0)], isEmpty: true) }.joined()
                text += "</uniquenessConstraint>\n"
            }
            text += "</uniquenessConstraints>\n"
        }
        return text + "</entity>\n"
    }

    private static func write(_ attribute: ModelAttribute) -> String {
        open(
            "attribute",
            options(of: attribute.options, attribute.name) + [
                ("attributeType", attribute.type == .undefined ? nil : attribute.type.rawValue),
                ("valueTransformerName", attribute.transformerName), ("customClassName", attribute.valueClassName),
                ("allowsExternalBinaryDataStorage", flag(attribute.allowsExternalStorage)),
                ("preserveAfterDeletion", flag(attribute.preservesValueInHistory)),
                ("derived", flag(attribute.derivation != nil)), ("derivationExpression", attribute.derivation?.text),
                ("composite", attribute.composite),
            ], isEmpty: true)
    }

    private static func write(_ relationship: ModelRelationship) -> String {
        open(
            "relationship",
            options(of: relationship.options, relationship.name) + [
                ("destinationEntity", relationship.destination), ("inverseName", relationship.inverse),
                ("toMany", flag(relationship.isToMany)), ("minCount", String(relationship.minimumCount)),
                ("maxCount", String(relationship.maximumCount)), ("ordered", flag(relationship.isOrdered)),
                ("deletionRule", relationship.deleteRule.rawValue),
            ], isEmpty: true)
    }

    private static func options(of options: ModelPropertyOptions, _ name: String) -> [(String, String?)] {
        [
            ("name", name), ("optional", flag(options.isOptional)), ("transient", flag(options.isTransient)),
            ("elementID", options.renamingIdentifier), ("versionHashModifier", options.versionHashModifier),
        ]
    }

    private static func flag(_ flag: Bool) -> String? { flag ? "YES" : nil }

    private static func open(_ name: String, _ attributes: [(String, String?)], isEmpty: Bool = false) -> String {
        let written = attributes.compactMap { key, value in value.map { #" \#(key)="\#(XMLText.escaped($0))""# } }
        return "<\(name)\(written.joined())\(isEmpty ? "/" : "")>\n"
    }
}
