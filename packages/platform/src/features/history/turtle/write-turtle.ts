import {
  type BuildingRecord,
  type ElementNode,
  elementType,
  type GraphNode,
  IFC_SOURCE,
  type NodeKind,
  type NodeOf,
  type PointNode,
  type SpaceNode,
  type StoreyNode,
} from '@storey/contract'
import { pointClass } from './point-classes.ts'
import { spaceClasses } from './space-classes.ts'
import { blank, dateTime, iri, literal, node, number, PREFIXES, statement, term } from './terms.ts'

type RequiredField = 'id' | 'name' | 'siteId' | 'buildingType' | 'address'
type OptionalField = 'code' | 'externalIds' | 'location' | 'timezone'
export type TurtleBuilding = Pick<BuildingRecord, RequiredField> &
  Partial<Pick<BuildingRecord, OptionalField>> & { siteName: string }

const BUILDING_CLASSES: Record<string, string> = { mall: 'rec:ShoppingMall' }

/**
 * The head of a building's graph as Turtle, in the vocabularies of Brick 1.4 and RealEstateCore 4. The statements of
 * the nodes (`turtleOf`) follow the head in any order, so that a graph of any size can be streamed.
 */
export function turtleHead(building: TurtleBuilding, graph: { revision: number; at: string }, baseIri: string): string {
  // Nodes refer to their building by a prefix, so that `turtleOf` does not need the id of the building.
  const places = { ...PREFIXES, node: baseIri, building: baseIri + building.id }
  const prefixes = Object.entries(places).map(([name, place]) => `@prefix ${name}: ${iri(place)} .\n`)
  const about = statement(iri(baseIri), [
    'a owl:Ontology',
    'owl:imports <https://brickschema.org/schema/1.4/Brick>',
    `rdfs:label ${literal(building.name)}`,
    `storey:revision ${graph.revision}`,
    `dcterms:issued ${dateTime(graph.at)}`,
  ])
  const site = statement(node(building.siteId), ['a rec:Site', `rdfs:label ${literal(building.siteName)}`])
  return `${prefixes.join('')}\n${about}\n${site}${buildingStatements(building)}\n`
}

function buildingStatements(building: TurtleBuilding): string {
  const { address, location, buildingType, timezone } = building
  const properties = [
    `a ${['rec:Building', BUILDING_CLASSES[buildingType]].filter(Boolean).join(', ')}`,
    ...naming(building),
    `rec:isPartOf ${node(building.siteId)}`,
    `storey:buildingType ${literal(buildingType)}`,
  ]
  if (timezone !== undefined) properties.push(`storey:timezone ${literal(timezone)}`)
  if (location) {
    const { latitude, longitude } = location
    const place = [`brick:latitude ${number(latitude)}`, `brick:longitude ${number(longitude)}`]
    properties.push(`brick:coordinates ${blank(place)}`)
  }
  if (address === null) return statement('building:', properties)
  const part = node(`${building.id}-address`)
  properties.push(`rec:address ${part}`)
  return (
    statement('building:', properties) +
    statement(part, ['a rec:PostalAddress', `rec:addressLine1 ${literal(address)}`])
  )
}

const WRITERS: { [K in NodeKind]: (n: NodeOf[K]) => string } = {
  storey: storeyStatements,
  space: spaceStatements,
  element: elementStatements,
  point: pointStatements,
}

/** The statements of one node, with a line end. */
export function turtleOf<K extends NodeKind>(kind: K, state: NodeOf[K]): string {
  return WRITERS[kind](state)
}

function storeyStatements(storey: StoreyNode): string {
  const properties = [
    'a rec:Level',
    ...identity(storey),
    'rec:isPartOf building:',
    `rec:levelNumber ${storey.index}`,
    ...shape(storey),
  ]
  if (storey.elevationM !== null) properties.push(`storey:elevationM ${number(storey.elevationM)}`)
  return statement(node(storey.id), properties)
}

function spaceStatements(space: SpaceNode): string {
  const properties = [
    `a ${spaceClasses(space.spaceTypeSlug).join(', ')}`,
    ...identity(space),
    `rec:isPartOf ${node(space.storeyId)}`,
    ...shape(space),
    `storey:spaceType ${literal(space.spaceTypeSlug)}`,
    `storey:status ${literal(space.status)}`,
    `storey:isLeasable ${space.isLeasable}`,
  ]
  if (space.capacity === null) return statement(node(space.id), properties)
  // RealEstateCore requires an IRI for a capacity, as for an address, so the capacity is not a blank node.
  const part = node(`${space.id}-capacity`)
  properties.push(`rec:capacity ${part}`)
  const capacity = ['a rec:ArchitectureCapacity', `rec:maxOccupancy ${space.capacity}`]
  return statement(node(space.id), properties) + statement(part, capacity)
}

function elementStatements(element: ElementNode): string {
  const place = element.spaceId ?? element.storeyId
  const properties = [
    `a brick:${elementType(element.elementTypeSlug)?.brickClass ?? 'Equipment'}`,
    ...identity(element),
    `storey:elementType ${literal(element.elementTypeSlug)}`,
    `storey:status ${literal(element.status)}`,
  ]
  if (place !== null) properties.push(`brick:hasLocation ${node(place)}`)
  if (element.serves.length > 0) properties.push(`brick:feeds ${element.serves.map(node).join(', ')}`)
  return statement(node(element.id), properties)
}

function pointStatements(point: PointNode): string {
  return statement(node(point.id), [
    `a ${pointClass(point.pointType, point.quantityKind)}`,
    ...identity(point),
    `brick:isPointOf ${node(point.elementId)}`,
    `brick:hasQuantity ${term('quantitykind', point.quantityKind)}`,
    `brick:hasUnit ${term('unit', point.unit)}`,
  ])
}

function identity(state: GraphNode): string[] {
  const times = [`dcterms:created ${dateTime(state.createdAt)}`, `dcterms:modified ${dateTime(state.updatedAt)}`]
  return [...naming(state), ...times]
}

type Named = Pick<TurtleBuilding, 'name' | 'code' | 'externalIds'>

function naming({ name, code, externalIds = [] }: Named): string[] {
  const properties = [`rdfs:label ${literal(name)}`]
  if (code !== undefined) properties.push(`dcterms:identifier ${literal(code)}`)
  const several = externalIds.length > 1
  for (const [i, { sourceSystem, externalId }] of externalIds.entries()) {
    // Brick can also name the IFC project of a GlobalId, but nodes do not store the project.
    const reference =
      sourceSystem === IFC_SOURCE
        ? ['a ref:IFCReference', `ref:ifcGlobalID ${literal(externalId)}`]
        : [
            'a ref:ExternalReference',
            `storey:sourceSystem ${literal(sourceSystem)}`,
            `dcterms:identifier ${literal(externalId)}`,
          ]
    // The API returns the first of several external ids as `externalId`, so the first one is marked as preferred.
    if (several && i === 0) reference.push('ref:preferred true')
    properties.push(`ref:hasExternalReference ${blank(reference)}`)
  }
  return properties
}

/**
 * The area and the outline. In RealEstateCore, an outline is GeoJSON with local coordinates in metres. WKT is not used,
 * because its coordinates would be read as degrees.
 */
function shape({ areaSqm, polygon }: Pick<SpaceNode, 'areaSqm' | 'polygon'>): string[] {
  const properties: string[] = []
  if (areaSqm !== null)
    properties.push(`brick:area ${blank([`brick:value ${number(areaSqm)}`, 'brick:hasUnit unit:M2'])}`)
  if (polygon?.[0]) {
    const ring = JSON.stringify([...polygon, polygon[0]])
    const outline = ['a rec:Polygon', 'rec:coordinateSystem "LocalCoordinates"']
    properties.push(`rec:geometry ${blank([...outline, `rec:coordinates ${literal(ring)}^^geojson:Polygon`])}`)
  }
  return properties
}
