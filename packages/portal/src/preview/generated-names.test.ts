import { generateBuilding, resolveSpec } from '@storey/building'
import { type NodeKind, nodeName } from '@storey/web'
import { describe, expect, it } from 'vitest'

const RUSSIAN = /[а-яё]/i
/** A space of one of these types has the name of the business in it. These names are not translated. */
const TENANTS = new Set(['shop', 'restaurant', 'anchor-store'])

describe('generated names', () => {
  it.each([
    { buildingType: 'mall' as const, storeys: 4 },
    { buildingType: 'office' as const, storeys: 8 },
  ])('are shown in Russian: $buildingType', (spec) => {
    const building = generateBuilding(resolveSpec({ ...spec, equipmentDensity: 'dense', seed: '5' }))
    const nodes: [NodeKind, readonly { name: string }[]][] = [
      ['storey', building.storeys],
      ['space', building.spaces.filter(({ spaceType }) => !TENANTS.has(spaceType))],
      ['element', building.elements],
      ['point', building.points],
    ]
    const english = nodes.flatMap(([kind, list]) =>
      list.map(({ name }) => name).filter((name) => !RUSSIAN.test(nodeName(kind, name, 'ru'))),
    )
    expect([...new Set(english)]).toEqual([])
  })
})
