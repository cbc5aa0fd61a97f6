import type { Schema } from '../schema.ts'

/** Why things of a class are not kept. The first line that fits tells; the schema knows what inherits from what. */
const REASONS: [ancestor: string, reason: string][] = [
  ['IfcGroup', 'a group of things, not a thing'],
  ['IfcPort', 'a port is where equipment connects, not equipment'],
  ['IfcDistributionChamberElement', 'a chamber is not kept'],
  ['IfcFurnishingElement', 'furniture is not kept'],
  ['IfcBuildingElementProxy', 'a proxy does not say what it is'],
  ['IfcProxy', 'a proxy does not say what it is'],
  ['IfcFeatureElement', 'an opening or another feature of the fabric, not equipment'],
  ['IfcVirtualElement', 'a virtual boundary, not a thing'],
  ['IfcElementAssembly', 'an assembly is not kept, only the equipment in it'],
  ['IfcBuildingElement', 'part of the fabric, not equipment'],
  ['IfcBuiltElement', 'part of the fabric, not equipment'],
  ['IfcElementComponent', 'part of the fabric, not equipment'],
  ['IfcEquipmentElement', 'its class does not say what equipment it is'],
  ['IfcElectricalElement', 'its class does not say what equipment it is'],
  ['IfcCivilElement', 'part of the surroundings, not equipment'],
  ['IfcGeographicElement', 'part of the surroundings, not equipment'],
  ['IfcGeotechnicalElement', 'part of the surroundings, not equipment'],
  ['IfcTransportationDevice', 'a vehicle is not kept'],
  ['IfcAnnotation', 'a note on a drawing'],
  ['IfcGrid', 'a grid, an aid for drawing'],
  ['IfcPositioningElement', 'an aid for drawing'],
  ['IfcLinearElement', 'an aid for drawing'],
  ['IfcStructuralItem', 'part of the structural analysis'],
  ['IfcStructuralActivity', 'part of the structural analysis'],
  ['IfcSite', 'the model is read as one site, and another stands for it'],
  ['IfcBuilding', 'the model is read as one building, and the first stands for it; the storeys are kept'],
  ['IfcSpatialZone', 'a zone, not a room'],
  ['IfcExternalSpatialStructureElement', 'outside of the building'],
  ['IfcSpatialElement', 'neither a storey nor a room'],
  ['IfcSpatialStructureElement', 'neither a storey nor a room'],
]

export function reasonFor(schema: Schema, className: string): string {
  return REASONS.find(([ancestor]) => schema.isA(className, ancestor))?.[1] ?? 'neither a storey, a room nor equipment'
}

/** Equipment is what distributes something or transports someone. */
export function isEquipment(schema: Schema, className: string): boolean {
  if (schema.isA(className, 'IfcTransportElement')) return true
  return schema.isA(className, 'IfcDistributionElement') && !schema.isA(className, 'IfcDistributionChamberElement')
}
