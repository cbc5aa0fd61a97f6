import { elementType, spaceType, unitsOf } from '@storey/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Building, BuildingSpec, Point } from './building.ts'
import { resolveSpec } from './default-spec.ts'
import { isConditioned } from './equipment/device-priorities.ts'
import { fingerprint } from './fingerprint.ts'
import { generateBuilding } from './generate.ts'
import { coverage, unreachable } from './geometry/tiling.test-kit.ts'

const DENSITY_BANDS = { sparse: [1, 2], realistic: [4, 5], dense: [8, 12] } as const
/** Equipment that serves a storey or the building. Its points do not count as points of the room in which it stands. */
const PLANT = /^point\/(AHU|CH|BLR|CT|CHWP|HWP|HP|EM-MAIN|EM-[LP]\d+|WM-MAIN|GM-MAIN|WST|LIFT|ESC|FAP|BMS)[-.]/

const specs: fc.Arbitrary<BuildingSpec> = fc
  .record({
    buildingType: fc.constantFrom('mall', 'office'),
    storeys: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 8 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 50 }) },
    ),
    bounds: fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 })),
    few: fc.boolean(),
    sqmPerSpace: fc.double({ min: 0.05, max: 5000, noNaN: true }),
    usualSize: fc.boolean(),
    equipmentDensity: fc.constantFrom('sparse', 'realistic', 'dense'),
    occupancyProfile: fc.constantFrom('24x7', 'office-hours', 'peak-evenings'),
    seed: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  })
  .map(({ bounds, few, sqmPerSpace, usualSize, ...rest }) => {
    const [a, b] = bounds.map((bound) => (few ? 1 + (bound % 30) : bound)) as [number, number]
    const spacesMin = Math.min(a, b)
    const spacesMax = Math.max(a, b)
    const each = usualSize ? 12 + (sqmPerSpace % 140) : sqmPerSpace
    const areaSqm = Math.min(Math.max(rest.storeys * spacesMax * each, 10), 10_000_000)
    return { ...rest, spacesMin, spacesMax, areaSqm } as BuildingSpec
  })

describe('generateBuilding', () => {
  it('[GEN-03, GEN-04, GEN-05, GEN-06, GEN-07, GEN-11, GEN-12, GEN-14] generates a consistent building for random parameters', () => {
    fc.assert(
      fc.property(specs, (spec) => expectConsistent(generateBuilding(spec))),
      { numRuns: 30 },
    )
  })

  it.each<Partial<BuildingSpec>>([
    { spacesMin: 1, spacesMax: 1 },
    { storeys: 1, areaSqm: 20 },
    { storeys: 1, areaSqm: 10, spacesMin: 1, spacesMax: 1 },
    { storeys: 50, areaSqm: 5_000_000 },
    { storeys: 2, areaSqm: 10_000_000, spacesMin: 200, spacesMax: 200 },
    { storeys: 3, spacesMin: 200, spacesMax: 200, equipmentDensity: 'dense' },
    { storeys: 50, areaSqm: 10, spacesMin: 200, spacesMax: 200 },
    { storeys: 1, areaSqm: 899.9415, spacesMin: 14, spacesMax: 14, equipmentDensity: 'sparse', seed: ' ' },
    ...Array.from({ length: 14 }, (_, i) => ({ storeys: 3, spacesMin: i + 1, spacesMax: i + 1 })),
  ])('generates a consistent building at the limits: %j', (input) => {
    for (const buildingType of ['office', 'mall'] as const) {
      expectConsistent(generateBuilding(resolveSpec({ seed: 'edge', buildingType, ...input })))
    }
  })

  it('[GEN-01] generates the same building from the same spec, and a different one from another seed', () => {
    const spec = resolveSpec({ seed: 'again' })
    expect(generateBuilding(spec)).toEqual(generateBuilding({ ...spec }))
    expect(fingerprint(generateBuilding({ ...spec, seed: 'other' }))).not.toBe(fingerprint(generateBuilding(spec)))
  })

  it('generates the same building from a seed in every release', () => {
    const of = (buildingType: 'office' | 'mall') =>
      fingerprint(generateBuilding(resolveSpec({ seed: 'pinned', buildingType })))
    expect(of('office')).toMatchInlineSnapshot(
      `"sha256:7f50ff1d0112f9378ee1655145543286ecfb3f4d0a6c450f4b6cd40190f7edd6"`,
    )
    expect(of('mall')).toMatchInlineSnapshot(
      `"sha256:e45941236d222e1983dbc9e95adec2cb17dee81c66e06a802c6e0cd29b2cae49"`,
    )
  })

  it.each(['office', 'mall'] as const)('[GEN-13] gives an ordinary %s points of all six types', (buildingType) => {
    const types = new Set(
      generateBuilding(resolveSpec({ seed: 'six', buildingType })).points.map((point) => point.pointType),
    )
    expect([...types].sort()).toEqual(['ALARM', 'COMMAND', 'PARAMETER', 'SENSOR', 'SETPOINT', 'STATUS'])
  })

  it.each(['office', 'mall'] as const)(
    '[GEN-22] gives each conditioned room of an ordinary %s a temperature and a setpoint',
    (buildingType) => {
      for (const seed of ['a', 'b', 'c']) {
        const { spaces, elements, points } = generateBuilding(resolveSpec({ seed, buildingType }))
        const spaceOf = new Map(elements.map(({ key, spaceKey }) => [key, spaceKey]))
        const roomsWith = (kind: (point: Point) => boolean) =>
          new Set(points.filter(kind).map(({ elementKey }) => spaceOf.get(elementKey)))
        const setpoint = roomsWith(({ pointType, unit }) => pointType === 'SETPOINT' && unit === 'DEG_C')
        const measured = roomsWith(({ name }) => name === 'Zone temperature')
        const conditioned = spaces.filter(isConditioned)
        expect(conditioned.length).toBeGreaterThan(20)
        for (const { key, code } of conditioned)
          expect([setpoint.has(key), measured.has(key)], code).toEqual([true, true])
      }
    },
  )

  it('gives the anchor stores half to seven tenths of the leasable area of a mall', () => {
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { spaces } = generateBuilding(resolveSpec({ seed, buildingType: 'mall', storeys: 4 }))
      const area = (of: typeof spaces) => of.reduce((sum, space) => sum + space.areaSqm, 0)
      const anchors = area(spaces.filter((space) => space.spaceType === 'anchor-store'))
      const share = anchors / area(spaces.filter((space) => space.isLeasable))
      expect(share).toBeGreaterThan(0.5)
      expect(share).toBeLessThan(0.7)
    }
  })

  it('gives an office one meeting room per 7 to 17 workspaces', () => {
    const { spaces } = generateBuilding(resolveSpec({ seed: 'desks', storeys: 10 }))
    const desks = spaces.filter((s) => /office$/.test(s.spaceType)).reduce((sum, s) => sum + s.capacity, 0)
    const meetings = spaces.filter((space) => space.spaceType === 'meeting-room').length
    expect(desks / meetings).toBeGreaterThan(7)
    expect(desks / meetings).toBeLessThan(17)
  })

  it('[GEN-09, GEN-10] gives each building type its usual kinds of spaces, and leaves a few shops vacant', () => {
    const kinds = (of: Building) => new Set(of.spaces.map((space) => space.spaceType))
    const office = generateBuilding(resolveSpec({ seed: 'kinds', storeys: 6 }))
    for (const kind of ['open-office', 'private-office', 'meeting-room', 'lobby']) expect(kinds(office)).toContain(kind)
    const mall = generateBuilding(resolveSpec({ seed: 'kinds', buildingType: 'mall', storeys: 6 }))
    for (const kind of ['shop', 'concourse', 'food-court']) expect(kinds(mall)).toContain(kind)
    const shops = mall.spaces.filter((space) => space.spaceType === 'shop')
    expect(shops.every((shop) => shop.isLeasable)).toBe(true)
    const vacant = shops.filter((shop) => shop.status === 'vacant').length
    expect(vacant).toBeGreaterThan(0)
    expect(vacant / shops.length).toBeLessThan(0.25)
  })

  it('[GEN-08] gives more equipment and points at a higher density', () => {
    const sizes = (['sparse', 'realistic', 'dense'] as const).map((equipmentDensity) => {
      const { elements, points } = generateBuilding(resolveSpec({ seed: 'density', equipmentDensity }))
      return [elements.length, points.length] as const
    })
    for (const [i, [elements, points]] of sizes.entries()) {
      if (i === 0) continue
      expect(elements).toBeGreaterThan(sizes[i - 1]![0])
      expect(points).toBeGreaterThan(sizes[i - 1]![1])
    }
  })
})

function expectConsistent(building: Building): void {
  const { spec } = building
  expect(building.storeys).toHaveLength(spec.storeys)
  expect(Math.abs(building.building.areaSqm - spec.areaSqm) / spec.areaSqm).toBeLessThan(0.02)
  const doorMm = spec.areaSqm / spec.storeys / spec.spacesMax > 40 ? 700 : 1
  for (const storey of building.storeys) {
    const spaces = building.spaces.filter((space) => space.storeyKey === storey.key)
    expect(spaces.length).toBeGreaterThanOrEqual(spec.spacesMin)
    expect(spaces.length).toBeLessThanOrEqual(spec.spacesMax)
    expect([
      ...coverage(
        storey.plate,
        spaces.map((space) => space.polygon),
      ),
    ]).toEqual([1])
    const sum = spaces.reduce((total, space) => total + space.areaSqm, 0)
    expect(Math.abs(sum - storey.areaSqm) / storey.areaSqm).toBeLessThan(0.02)
    expect(unreachable(spaces, doorMm).map((space) => space.code)).toEqual([])
  }
  expectUnique(building)
  expectKnownTypes(building)
  const inRooms = building.points.filter((point) => !PLANT.test(point.key)).length / building.spaces.length
  const [low, high] = DENSITY_BANDS[spec.equipmentDensity]
  expect(inRooms).toBeGreaterThanOrEqual(low)
  expect(inRooms).toBeLessThanOrEqual(high)
}

function expectUnique(building: Building): void {
  const { storeys, spaces, elements, points } = building
  const nodes = [building.site, building.building, ...storeys, ...spaces, ...elements, ...points]
  for (const field of ['key', 'code', 'globalId'] as const)
    expect(new Set(nodes.map((node) => node[field])).size).toBe(nodes.length)
  for (const node of nodes)
    if (!/^[0-3][0-9A-Za-z_$]{21}$/.test(node.globalId)) expect.fail(`GlobalId ${node.globalId}`)
}

function expectKnownTypes({ spaces, elements, points, storeys }: Building): void {
  const keys = new Set([...spaces, ...elements].map((node) => node.key))
  const storeyKeys = new Set(storeys.map((storey) => storey.key))
  const storeyOf = new Map(spaces.map((space) => [space.key, space.storeyKey]))
  for (const space of spaces) if (!spaceType(space.spaceType)) expect.fail(`space type ${space.spaceType}`)
  for (const element of elements) {
    if (!elementType(element.elementType)) expect.fail(`element type ${element.elementType}`)
    if (!storeyKeys.has(element.storeyKey)) expect.fail(`storey of ${element.key}`)
    if (element.spaceKey !== null && storeyOf.get(element.spaceKey) !== element.storeyKey)
      expect.fail(`${element.key} is in a space of another storey`)
    if (element.serves.some((key) => !keys.has(key))) expect.fail(`${element.key} serves an unknown node`)
  }
  for (const point of points) {
    if (!keys.has(point.elementKey)) expect.fail(`element of ${point.key}`)
    if (!unitsOf(point.quantityKind).includes(point.unit))
      expect.fail(`${point.key}: ${point.quantityKind} in ${point.unit}`)
  }
}
