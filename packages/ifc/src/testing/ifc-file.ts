import { globalIdFor } from './global-id.ts'
import { body, brep, extrusion, placement } from './shapes.ts'
import type { ElementSpec, IfcFileSpec, SpaceSpec, StoreySpec } from './spec.ts'
import { enumValue, RawText, StepWriter, typed, type Written } from './step-writer.ts'
import { METRES, units } from './units.ts'

/** Writes a small IFC file from a description of the building. */
export function ifcFile(spec: IfcFileSpec): string {
  return new IfcFileBuilder(spec).build()
}

class IfcFileBuilder {
  readonly #spec: IfcFileSpec
  readonly #writer: StepWriter
  readonly #context: RawText
  readonly #types = new Map<string, { type: RawText; occurrences: RawText[] }>()

  constructor(spec: IfcFileSpec) {
    this.#spec = spec
    this.#writer = new StepWriter(spec.schema ?? 'IFC4')
    const origin = this.#writer.add('IfcCartesianPoint', { Coordinates: [0, 0, 0] })
    this.#context = this.#writer.add('IfcGeometricRepresentationContext', {
      ContextType: 'Model',
      CoordinateSpaceDimension: new RawText('3'),
      Precision: 1e-5,
      WorldCoordinateSystem: this.#writer.add('IfcAxis2Placement3D', { Location: origin }),
    })
  }

  build(): string {
    const { project, site, building, storeys, lines } = this.#spec
    const root = this.#root('IfcProject', project, 'project', {
      RepresentationContexts: [this.#context],
      UnitsInContext: units(this.#writer, this.#spec.lengthUnit ?? 'METRE'),
    })
    const at = placement(this.#writer, null, [0, 0, 0])
    const siteId = this.#root('IfcSite', site, 'site', { ObjectPlacement: at, CompositionType: enumValue('ELEMENT') })
    const buildingAt = placement(this.#writer, at, [0, 0, building?.z ?? 0])
    const more = { ObjectPlacement: buildingAt, CompositionType: enumValue('ELEMENT') }
    const buildingId = this.#root('IfcBuilding', building, 'building', more)
    this.#aggregate(root, [siteId])
    this.#aggregate(siteId, [buildingId])
    const created = storeys.map((storey) => this.#storey(storey, buildingAt))
    this.#aggregate(buildingId, created)
    for (const { type, occurrences } of this.#types.values())
      this.#relate('IfcRelDefinesByType', { RelatingType: type, RelatedObjects: occurrences })
    return this.#writer.file(lines)
  }

  #storey(storey: StoreySpec, relativeTo: RawText): RawText {
    const { name, elevation = null, x = 0, y = 0, turnDegrees = 0, spaces = [], elements = [] } = storey
    const { z = elevation ?? 0 } = storey
    const at = z === null ? null : placement(this.#writer, relativeTo, [x, y, z], turnDegrees)
    const id = this.#root('IfcBuildingStorey', storey, `storey ${name}`, {
      ObjectPlacement: at,
      CompositionType: enumValue('ELEMENT'),
      Elevation: elevation,
    })
    const path = `${name}`
    const created = spaces.map((space, index) => this.#space(space, at ?? relativeTo, `${path}/${space.name ?? index}`))
    this.#aggregate(id, created)
    this.#contain(id, elements, path)
    return id
  }

  #space(space: SpaceSpec, relativeTo: RawText, path: string): RawText {
    const isOld = this.#writer.schema.family === 'IFC2X3'
    const id = this.#root('IfcSpace', space, path, {
      LongName: space.longName ?? null,
      ObjectType: space.objectType ?? null,
      ObjectPlacement: placement(this.#writer, relativeTo, [0, 0, 0]),
      Representation: this.#shape(space),
      CompositionType: enumValue('ELEMENT'),
      ...(isOld && { InteriorOrExteriorSpace: enumValue('INTERNAL') }),
      ...(!isOld && space.predefinedType && { PredefinedType: enumValue(space.predefinedType) }),
    })
    this.#quantities(id, space, path)
    this.#aggregate(
      id,
      (space.spaces ?? []).map((inner, index) => this.#space(inner, relativeTo, `${path}/${inner.name ?? index}`)),
    )
    this.#contain(id, space.elements ?? [], path)
    return id
  }

  #shape({ outline, shape = 'extrusion' }: SpaceSpec): RawText | null {
    if (outline === undefined) return null
    const height = 3 / METRES[this.#spec.lengthUnit ?? 'METRE']
    if (shape === 'brep') return body(this.#writer, this.#context, 'Brep', [brep(this.#writer, outline, height)])
    return body(this.#writer, this.#context, 'SweptSolid', [extrusion(this.#writer, outline, height)])
  }

  #quantities(space: RawText, { netFloorArea, grossFloorArea, areaProperty }: SpaceSpec, path: string): void {
    const define = (ifcClass: string, key: string, attributes: Record<string, Written>): void => {
      const RelatingPropertyDefinition = this.#root(ifcClass, { name: key }, `${path}/${key}`, attributes)
      this.#relate('IfcRelDefinesByProperties', { RelatedObjects: [space], RelatingPropertyDefinition })
    }
    const areas = { NetFloorArea: netFloorArea, GrossFloorArea: grossFloorArea }
    const Quantities = Object.entries(areas)
      .filter(([, value]) => value !== undefined)
      .map(([Name, value]) => this.#writer.add('IfcQuantityArea', { Name, AreaValue: value! }))
    if (Quantities.length > 0) define('IfcElementQuantity', 'BaseQuantities', { Quantities })
    if (areaProperty === undefined) return
    const NominalValue = typed('IfcAreaMeasure', areaProperty)
    const property = this.#writer.add('IfcPropertySingleValue', { Name: 'Area', NominalValue })
    define('IfcPropertySet', 'Dimensions', { HasProperties: [property] })
  }

  #element(element: ElementSpec, path: string): RawText {
    const id = this.#root(element.ifcClass, element, path, {
      ObjectType: element.objectType ?? null,
      Tag: element.tag ?? null,
      ...(element.predefinedType && { PredefinedType: enumValue(element.predefinedType) }),
    })
    if (element.type) this.#typeFor(element.type).occurrences.push(id)
    this.#aggregate(
      id,
      (element.parts ?? []).map((part, index) => this.#element(part, `${path}/${index}`)),
    )
    return id
  }

  #typeFor(type: NonNullable<ElementSpec['type']>): { type: RawText; occurrences: RawText[] } {
    const key = JSON.stringify(type)
    const known = this.#types.get(key)
    if (known) return known
    const PredefinedType = enumValue(type.predefinedType ?? 'NOTDEFINED')
    const created = { type: this.#root(type.ifcClass, type, key, { PredefinedType }), occurrences: [] }
    this.#types.set(key, created)
    return created
  }

  #contain(place: RawText, elements: ElementSpec[], path: string): void {
    const RelatedElements = elements.map((element, index) =>
      this.#element(element, `${path}/${element.ifcClass} ${index}`),
    )
    if (RelatedElements.length > 0)
      this.#relate('IfcRelContainedInSpatialStructure', { RelatedElements, RelatingStructure: place })
  }

  #aggregate(whole: RawText, parts: RawText[]): void {
    if (parts.length > 0) this.#relate('IfcRelAggregates', { RelatingObject: whole, RelatedObjects: parts })
  }

  #relate(ifcClass: string, attributes: Record<string, Written>): void {
    this.#root(ifcClass, {}, seedOf(attributes), attributes)
  }

  #root(
    ifcClass: string,
    own: { name?: string; globalId?: string } | undefined,
    path: string,
    more: Record<string, Written>,
  ): RawText {
    const GlobalId = own?.globalId ?? globalIdFor(this.#spec.discipline ?? '', ifcClass, path)
    return this.#writer.add(ifcClass, { GlobalId, Name: own?.name ?? null, ...more })
  }
}

function seedOf(attributes: Record<string, Written>): string {
  return JSON.stringify(attributes)
}
