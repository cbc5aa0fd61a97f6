import { describe, expect, it, vi } from 'vitest'
import type { IfcModel } from '../model.ts'
import { Entities } from '../step/entities.ts'
import { globalIdFor, type IfcFileSpec, ifcFile } from '../testing/index.ts'
import { TemporaryFolder } from '../testing/temporary-folder.ts'
import { readStructure } from './read-structure.ts'

function read(file: string | IfcFileSpec): IfcModel {
  using folder = new TemporaryFolder()
  return readStructure(folder.write(typeof file === 'string' ? file : ifcFile(file))).model
}

const OTHER = globalIdFor('another')
const ONE_STOREY: IfcFileSpec = { storeys: [{ name: 'Ground floor', elevation: 0 }] }

/**
 * A file whose length unit is the foot. `base` gets the reference of the foot, such as `#12`, and returns the reference
 * of the unit to which the foot is converted.
 */
function withFootOf(base: (foot: string) => string): string {
  const file = ifcFile({ ...ONE_STOREY, lengthUnit: 'FOOT' })
  const [, foot] = /(#\d+)=\s*IFCCONVERSIONBASEDUNIT\(#\d+,\.LENGTHUNIT\./.exec(file)!
  return file.replace(/(IFCLENGTHMEASURE\(0\.3048\),)#\d+/, (_, value) => `${value}${base(foot!)}`)
}

describe('the structure of a model', () => {
  it('has the project, the site, the building, and the storeys from the lowest up', () => {
    const model = read({
      project: { name: 'Harbour' },
      site: { name: 'Pier 4' },
      building: { name: 'Warehouse' },
      storeys: [
        { name: 'First', elevation: 3.5 },
        { name: 'Unknown', z: null },
        { name: 'Cellar', elevation: -2.75 },
      ],
    })
    expect(model).toMatchObject({
      schema: 'IFC4',
      project: { name: 'Harbour' },
      site: { name: 'Pier 4' },
      building: { name: 'Warehouse' },
      spaces: [],
    })
    expect(model.storeys.map(({ name, elevationM }) => [name, elevationM])).toEqual([
      ['Cellar', -2.75],
      ['First', 3.5],
      ['Unknown', null],
    ])
  })

  it.each([
    ['MILLIMETRE', 3500],
    ['METRE', 3.5],
    ['FOOT', 3.5 / 0.3048],
  ] as const)('has elevations in metres when the file is in %s', (lengthUnit, elevation) => {
    for (const schema of ['IFC2X3', 'IFC4', 'IFC4X3_ADD2']) {
      const model = read({ schema, lengthUnit, storeys: [{ name: 'First', elevation }] })
      expect(model.schema).toBe(schema)
      expect(model.storeys[0]!.elevationM).toBeCloseTo(3.5, 3)
    }
  })

  it('[IMP-37] has the elevation of a storey from the placements of storey and building, if the file states none', () => {
    const storeys = [
      { name: 'Roof', z: 23_500 },
      { name: 'First', elevation: 3500 },
      { name: 'Cellar', z: -2750 },
      { name: 'Ground floor', z: 0 },
    ]
    const found = (spec: Partial<IfcFileSpec>) =>
      read({ lengthUnit: 'MILLIMETRE', building: { z: 412_000 }, storeys, ...spec }).storeys.map((storey) => [
        storey.name,
        storey.elevationM,
      ])
    expect(found({})).toEqual([
      ['Cellar', -2.75],
      ['Ground floor', 0],
      ['First', 3.5],
      ['Roof', 23.5],
    ])
    // If all storeys are placed at the same height, the placements say nothing about the elevations.
    const flat = storeys.map((storey) => ({ ...storey, z: 1200 }))
    expect(found({ storeys: flat })).toEqual([
      ['First', 3.5],
      ['Roof', null],
      ['Cellar', null],
      ['Ground floor', null],
    ])
    expect(found({ storeys: [{ name: 'Lost', z: 1e10 }, ...storeys.slice(1)] }).at(-1)).toEqual(['Lost', null])
  })

  it('has the names and uses of rooms', () => {
    const spaces = [
      { name: '101', longName: 'Büro 😀', objectType: 'Office', predefinedType: 'SPACE' },
      { longName: 'Garage', predefinedType: 'PARKING' },
      { globalId: OTHER, predefinedType: 'NOTDEFINED' },
    ]
    const model = read({ storeys: [{ name: 'First', spaces }] })
    expect(model.spaces.map(({ name, longName, objectType }) => [name, longName, objectType])).toEqual([
      ['101', 'Büro 😀', 'Office'],
      ['Garage', 'Garage', 'PARKING'],
      [OTHER, null, null],
    ])
  })

  it('has the net area of a room, else the gross area, else the area in a property; zero counts as unknown', () => {
    const spaces = [
      { name: '1', netFloorArea: 20, grossFloorArea: 22, areaProperty: 23 },
      { name: '2', grossFloorArea: 22, areaProperty: 23 },
      { name: '3', areaProperty: 23 },
      { name: '4', netFloorArea: 0 },
    ]
    expect(read({ storeys: [{ name: 'First', spaces }] }).spaces.map((space) => space.areaSqm)).toEqual([
      20,
      22,
      23,
      null,
    ])
    const feet = read({ lengthUnit: 'FOOT', storeys: [{ name: 'First', spaces: spaces.slice(0, 1) }] })
    expect(feet.spaces[0]!.areaSqm).toBeCloseTo(20 * 0.3048 ** 2, 4)
  })

  it('has the area of a room if a single relation assigns several property sets to the room', () => {
    for (const schema of ['IFC4', 'IFC4X3_ADD2']) {
      const spaces = [{ name: '1', netFloorArea: 20 }]
      const file = ifcFile({ schema, storeys: [{ name: 'First', spaces }] })
      const together = file.replace(
        /(=IFCRELDEFINESBYPROPERTIES\(.*),(#\d+)\);/,
        '$1,IFCPROPERTYSETDEFINITIONSET((#900000,$2)));',
      )
      expect(together).not.toBe(file)
      expect(read(together).spaces.map(({ areaSqm }) => areaSqm)).toEqual([20])
    }
  })

  it('is read with one pass over each set of properties, however many rooms share the set', () => {
    const spaces = Array.from({ length: 300 }, (_, i) => ({ name: `${i}` }))
    const plain = ifcFile({ storeys: [{ name: 'First', spaces }] })
    const rooms = [...plain.matchAll(/^(#\d+)=IFCSPACE/gm)].map(([, id]) => id)
    const properties = spaces.map((_, i) => `#${1_000_000 + i}`)
    const lines = [
      ...properties.map((id, i) => `${id}=IFCPROPERTYSINGLEVALUE('${i === 299 ? 'Area' : 'Cost'}',$,IFCREAL(23.),$);`),
      `#2000000=IFCPROPERTYSET('${globalIdFor('set')}',$,'Set',$,(${properties}));`,
      `#2000001=IFCRELDEFINESBYPROPERTIES('${globalIdFor('all')}',$,$,$,(${rooms}),#2000000);`,
    ]
    const reads = vi.spyOn(Entities.prototype, 'get')
    const { spaces: found } = read(ifcFile({ storeys: [{ name: 'First', spaces }], lines }))
    const count = reads.mock.calls.length
    reads.mockRestore()
    expect(found.map(({ areaSqm }) => areaSqm)).toEqual(spaces.map(() => 23))
    expect(count).toBeLessThan(10 * spaces.length)
  })

  it('assigns a room inside another room to the storey of the outer room', () => {
    const spaces = [{ name: 'Hall', spaces: [{ name: 'Booth', spaces: [{ name: 'Cupboard' }] }] }]
    const model = read({ storeys: [{ name: 'First', spaces }] })
    expect(model.spaces.map((space) => space.name).sort()).toEqual(['Booth', 'Cupboard', 'Hall'])
    expect(new Set(model.spaces.map((space) => space.storeyGlobalId))).toEqual(new Set([model.storeys[0]!.globalId]))
  })

  it('has equipment with its class, type and place', () => {
    const sensor = { ifcClass: 'IfcSensor', name: 'T-1', predefinedType: 'TEMPERATURESENSOR' }
    const model = read({
      storeys: [
        {
          name: 'First',
          spaces: [{ name: '101', elements: [{ ifcClass: 'IfcAirTerminal', name: 'Supply', tag: '4711' }] }],
          elements: [
            { ifcClass: 'IfcUnitaryEquipment', name: 'AHU', predefinedType: 'AIRHANDLER', parts: [sensor] },
            { ifcClass: 'IfcPump', predefinedType: 'USERDEFINED', objectType: 'Sump pump' },
            { ifcClass: 'IfcFan', type: { ifcClass: 'IfcFanType', name: 'F200', predefinedType: 'VANEAXIAL' } },
            { ifcClass: 'IfcTransportElement', name: 'Lift', predefinedType: 'ELEVATOR' },
          ],
        },
      ],
      lines: [`#1000000=IFCVALVE('${OTHER}',$,'Lost',$,$,$,$,$,.NOTDEFINED.);`],
    })
    const byClass = Object.fromEntries(model.elements.map((element) => [element.ifcClass, element]))
    const storeyGlobalId = model.storeys[0]!.globalId
    const spaceGlobalId = model.spaces[0]!.globalId
    expect(byClass.IfcAirTerminal).toMatchObject({ name: 'Supply', tag: '4711', spaceGlobalId, storeyGlobalId })
    expect(byClass.IfcSensor).toMatchObject({
      predefinedType: 'TEMPERATURESENSOR',
      spaceGlobalId: null,
      storeyGlobalId,
    })
    expect(byClass.IfcPump).toMatchObject({ predefinedType: 'Sump pump', objectType: 'Sump pump' })
    expect(byClass.IfcFan).toMatchObject({ predefinedType: 'VANEAXIAL', objectType: 'F200' })
    expect(byClass.IfcTransportElement).toMatchObject({ predefinedType: 'ELEVATOR' })
    expect(byClass.IfcValve).toMatchObject({ predefinedType: null, spaceGlobalId: null, storeyGlobalId: null })
  })

  it('takes the specific class of an IFC2X3 element from its type object', () => {
    const elements = [
      { ifcClass: 'IfcFlowTerminal', type: { ifcClass: 'IfcLightFixtureType', predefinedType: 'POINTSOURCE' } },
      { ifcClass: 'IfcEnergyConversionDevice', type: { ifcClass: 'IfcBoilerType', predefinedType: 'WATER' } },
      { ifcClass: 'IfcFlowSegment', type: { ifcClass: 'IfcLightFixtureType', predefinedType: 'NOTDEFINED' } },
      { ifcClass: 'IfcFlowFitting' },
    ]
    const model = read({ schema: 'IFC2X3', storeys: [{ name: 'First', elements }] })
    expect(model.elements.map(({ ifcClass, predefinedType }) => [ifcClass, predefinedType])).toEqual([
      ['IfcLightFixture', 'POINTSOURCE'],
      ['IfcBoiler', 'WATER'],
      ['IfcFlowSegment', null],
      ['IfcFlowFitting', null],
    ])
  })

  it('gives the reason for everything that is left out', () => {
    const classes = ['IfcWall', 'IfcDoor', 'IfcFurniture', 'IfcBuildingElementProxy', 'IfcDistributionPort', 'IfcGrid']
    const elements = classes.map((ifcClass) => ({ ifcClass, name: ifcClass }))
    const lines = [
      `#1000000=IFCTELEPORTER('${OTHER}',$,'Beam');`,
      `#1000001=IFCBUILDING('${globalIdFor('annex')}',$,'Annex',$,$,$,$,$,.ELEMENT.,$,$,$);`,
      `#1000002=IFCSPACE('${globalIdFor('lost')}',$,'Lost',$,$,$,$,$,.ELEMENT.,$,$);`,
    ]
    const model = read({ storeys: [{ name: 'First', elements }], lines })
    expect(model.elements).toEqual([])
    expect(Object.fromEntries(model.leftOut.map(({ ifcClass, reason }) => [ifcClass, reason]))).toEqual({
      IfcWall: 'part of the fabric, not equipment',
      IfcDoor: 'part of the fabric, not equipment',
      IfcFurniture: 'furniture is not imported',
      IfcBuildingElementProxy: 'a proxy has no specific class',
      IfcDistributionPort: 'a port is a connection of equipment, not equipment',
      IfcGrid: 'a grid, a drawing aid',
      IfcBuilding: 'only one building is imported, with the storeys of all buildings',
      IfcSpace: 'it is on no imported storey',
      IFCTELEPORTER: 'the class is not part of IFC4',
    })
  })

  it('leaves out entities whose GlobalId is malformed or already used', () => {
    const spaces = [
      { name: '1', globalId: OTHER },
      { name: '2', globalId: OTHER },
      { name: '3', globalId: 'too short' },
    ]
    const model = read({ storeys: [{ name: 'First', spaces }] })
    expect(model.spaces.map((space) => space.name)).toEqual(['1'])
    expect(model.leftOut.map(({ globalId, name, reason }) => [globalId, name, reason])).toEqual([
      [OTHER, '2', 'its GlobalId is already used in the file'],
      [null, '3', 'its GlobalId is missing or malformed'],
    ])
  })

  it('tolerates cycles and missing references in a model', () => {
    const file = ifcFile({
      ...ONE_STOREY,
      lines: [
        `#1000000=IFCPUMP('${OTHER}',$,$,$,$,#1000009,$,$,$);`,
        `#1000001=IFCRELAGGREGATES('${globalIdFor('r')}',$,$,$,#1000000,(#1000000));`,
        `#1000002=IFCRELCONTAINEDINSPATIALSTRUCTURE('${globalIdFor('s')}',$,$,$,(#1000000),#1000009);`,
        '#1000003=IFCRELDEFINESBYTYPE();',
      ],
    })
    expect(read(file).elements).toMatchObject([{ ifcClass: 'IfcPump', storeyGlobalId: null }])
  })

  it.each([
    [ifcFile({ storeys: [] }), 'The model has no building storey'],
    [
      ifcFile({ storeys: [{ name: 'First', globalId: 'too short' }] }),
      'The model has no building storey that can be imported: IfcBuildingStorey "First" is left out because its GlobalId is missing or malformed',
    ],
    [ifcFile(ONE_STOREY).replace(/DATA;[\s\S]*?ENDSEC;/, 'DATA;\nENDSEC;'), 'The model has no project'],
    [ifcFile({ storeys: [{ name: 'Sky', elevation: 1e30 }] }), /^The storey #\d+ has an implausible elevation/],
    [
      ifcFile({ storeys: [{ name: 'First', spaces: [{ name: '1', netFloorArea: 1e12 }] }] }),
      /^The room #\d+ has an implausible area/,
    ],
    [
      ifcFile({ ...ONE_STOREY, lengthUnit: 'FOOT' }).replace('IFCLENGTHMEASURE(0.3048)', 'IFCLENGTHMEASURE(0.)'),
      /^The unit #\d+ has an implausible size/,
    ],
    [withFootOf(() => '$'), /^The unit #\d+ is not complete/],
    [withFootOf((foot) => foot), /^The chain of conversions that includes the unit #\d+ is too long or circular/],
  ])('[IMP-25] is refused if it is incomplete or implausible (%#)', (file, sentence) => {
    expect(() => read(file)).toThrow(sentence)
  })
})
