import type { Schema } from '../schema/schema.ts'

/**
 * Why entities are left out, by class. The first entry that is the class of the entity or one of its ancestors applies.
 */
const REASONS: [ancestor: string, reason: string][] = [
  ['IfcGroup', 'a group, not a physical object'],
  ['IfcPort', 'a port is a connection of equipment, not equipment'],
  ['IfcDistributionChamberElement', 'a chamber is not imported'],
  ['IfcFurnishingElement', 'furniture is not imported'],
  ['IfcBuildingElementProxy', 'a proxy has no specific class'],
  ['IfcProxy', 'a proxy has no specific class'],
  ['IfcFeatureElement', 'an opening or another feature of the fabric, not equipment'],
  ['IfcVirtualElement', 'a virtual boundary, not a physical object'],
  ['IfcElementAssembly', 'an assembly is not imported, only the equipment in it'],
  ['IfcBuildingElement', 'part of the fabric, not equipment'],
  ['IfcBuiltElement', 'part of the fabric, not equipment'],
  ['IfcElementComponent', 'part of the fabric, not equipment'],
  ['IfcEquipmentElement', 'its class does not specify the kind of equipment'],
  ['IfcElectricalElement', 'its class does not specify the kind of equipment'],
  ['IfcCivilElement', 'part of the surroundings, not equipment'],
  ['IfcGeographicElement', 'part of the surroundings, not equipment'],
  ['IfcGeotechnicalElement', 'part of the surroundings, not equipment'],
  ['IfcTransportationDevice', 'a vehicle is not imported'],
  ['IfcAnnotation', 'a note on a drawing'],
  ['IfcGrid', 'a grid, a drawing aid'],
  ['IfcPositioningElement', 'a drawing aid'],
  ['IfcLinearElement', 'a drawing aid'],
  ['IfcStructuralItem', 'part of the structural analysis'],
  ['IfcStructuralActivity', 'part of the structural analysis'],
  ['IfcSite', 'only one site is imported'],
  ['IfcBuilding', 'only one building is imported, with the storeys of all buildings'],
  ['IfcSpatialZone', 'a zone, not a room'],
  ['IfcExternalSpatialStructureElement', 'outside of the building'],
  ['IfcSpatialElement', 'neither a storey nor a room'],
  ['IfcSpatialStructureElement', 'neither a storey nor a room'],
]

export function reasonFor(schema: Schema, className: string): string {
  return REASONS.find(([ancestor]) => schema.isA(className, ancestor))?.[1] ?? 'neither a storey, a room nor equipment'
}

/** Whether a class is equipment: distribution elements other than chambers, and transport elements. */
export function isEquipment(schema: Schema, className: string): boolean {
  if (schema.isA(className, 'IfcTransportElement')) return true
  return schema.isA(className, 'IfcDistributionElement') && !schema.isA(className, 'IfcDistributionChamberElement')
}
