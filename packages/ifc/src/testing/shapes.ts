import { enumValue, type RawText, type StepWriter } from './step-writer.ts'

export type Corner = [number, number]

export function placement(
  writer: StepWriter,
  relativeTo: RawText | null,
  [x, y, z]: [number, number, number],
  turnDegrees = 0,
): RawText {
  const radians = (turnDegrees * Math.PI) / 180
  const RelativePlacement = writer.add('IfcAxis2Placement3D', {
    Location: writer.add('IfcCartesianPoint', { Coordinates: [x, y, z] }),
    Axis: writer.add('IfcDirection', { DirectionRatios: [0, 0, 1] }),
    RefDirection: writer.add('IfcDirection', { DirectionRatios: [Math.cos(radians), Math.sin(radians), 0] }),
  })
  return writer.add('IfcLocalPlacement', { PlacementRelTo: relativeTo, RelativePlacement })
}

/** A room extruded from its outline. */
export function extrusion(writer: StepWriter, outline: Corner[], depth: number): RawText {
  const points = [...outline, outline[0]!].map((corner) => writer.add('IfcCartesianPoint', { Coordinates: corner }))
  const SweptArea = writer.add('IfcArbitraryClosedProfileDef', {
    ProfileType: enumValue('AREA'),
    OuterCurve: writer.add('IfcPolyline', { Points: points }),
  })
  const origin = writer.add('IfcCartesianPoint', { Coordinates: [0, 0, 0] })
  return writer.add('IfcExtrudedAreaSolid', {
    SweptArea,
    Position: writer.add('IfcAxis2Placement3D', { Location: origin }),
    ExtrudedDirection: writer.add('IfcDirection', { DirectionRatios: [0, 0, 1] }),
    Depth: depth,
  })
}

/** The same solid as `extrusion`, written as a boundary representation. */
export function brep(writer: StepWriter, outline: Corner[], depth: number): RawText {
  const at = (z: number) => outline.map(([x, y]) => writer.add('IfcCartesianPoint', { Coordinates: [x, y, z] }))
  const [low, high] = [at(0), at(depth)]
  const next = (index: number): number => (index + 1) % outline.length
  const sides = outline.map((_, index) => [low[index]!, low[next(index)]!, high[next(index)]!, high[index]!])
  const faces = [low.toReversed(), high, ...sides].map((corners) => {
    const Bound = writer.add('IfcPolyLoop', { Polygon: corners })
    return writer.add('IfcFace', { Bounds: [writer.add('IfcFaceOuterBound', { Bound, Orientation: enumValue('T') })] })
  })
  return writer.add('IfcFacetedBrep', { Outer: writer.add('IfcClosedShell', { CfsFaces: faces }) })
}

export function body(writer: StepWriter, context: RawText, type: string, items: RawText[]): RawText {
  const representation = writer.add('IfcShapeRepresentation', {
    ContextOfItems: context,
    RepresentationIdentifier: 'Body',
    RepresentationType: type,
    Items: items,
  })
  return writer.add('IfcProductDefinitionShape', { Representations: [representation] })
}
