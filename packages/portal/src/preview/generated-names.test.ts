import { generateBuilding, resolveSpec } from '@storey/building'
import { type NodeKind, nodeName } from '@storey/web'
import { describe, expect, it } from 'vitest'

const RUSSIAN = /[а-яё]/i
/** The names of these spaces are the names of their tenants, which are not translated. */
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
