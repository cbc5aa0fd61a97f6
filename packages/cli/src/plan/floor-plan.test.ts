import { type Building, generateBuilding, resolveSpec, type Space } from '@storey/building'
import { describe, expect, it } from 'vitest'
import { floorPlan } from './floor-plan.ts'
import { fitted, marksFor } from './labels.ts'

const style = { color: false, unicode: true }

function drawn(building: Building, columns: number, unicode = true): string[] {
  return building.storeys.flatMap((storey) => {
    const lines = floorPlan(building, storey, { columns, style: { color: false, unicode } })
    return [lines.slice(0, lines.indexOf('')).join('\n')]
  })
}

const buildings = (['office', 'mall'] as const).map((buildingType) =>
  generateBuilding(resolveSpec({ seed: 'plan', buildingType, storeys: 4, spacesMin: 5, spacesMax: 60 })),
)

describe('the floor plan', () => {
  it('is a closed rectangle that fits a terminal of 40, 80 or 200 columns', () => {
    for (const building of buildings) {
      for (const columns of [40, 80, 200]) {
        for (const plan of drawn(building, columns)) {
          const lines = plan.split('\n')
          expect(new Set(lines.map((line) => [...line].length)).size).toBe(1)
          expect([...lines[0]!].length).toBeLessThanOrEqual(columns)
          expect(lines[0]).toMatch(/^┏[━┯]+┓$/)
          expect(lines.at(-1)).toMatch(/^┗[━┷]+┛$/)
          for (const line of lines.slice(1, -1)) expect(line).toMatch(/^[┃┠].*[┃┨]$/)
        }
      }
    }
  })

  it('joins every horizontal wall to the wall on its right', () => {
    const opens = { left: '─┐┘┤┬┴┼━┓┛┨┯┷', right: '─┌└├┬┴┼━┏┗┠┯┷' }
    const [plan = ''] = drawn(buildings[0]!, 80)
    for (const line of plan.split('\n')) {
      const letters = [...line]
      for (const [i, letter] of letters.entries()) {
        if (opens.right.includes(letter)) expect(`${letter}${letters[i + 1]}`).toMatch(new RegExp(`.[${opens.left}]`))
      }
    }
  })

  it('labels rooms if the label fits, and lists all types in the legend', () => {
    const building = buildings[0]!
    const storey = building.storeys[1]!
    const text = floorPlan(building, storey, { columns: 120, style }).join('\n')
    const rooms = building.spaces.filter(({ storeyKey }) => storeyKey === storey.key)
    const numbers = rooms.filter(({ code }) => text.includes(code.slice(code.indexOf('-') + 1)))
    expect(numbers.length).toBeGreaterThan(rooms.length / 2)
    const counts = Map.groupBy(rooms, (room: Space) => room.spaceType)
    for (const [, { length }] of counts) expect(text).toContain(`× ${length}`)
  })

  it('is plain ASCII if the terminal supports nothing else', () => {
    for (const plan of drawn(buildings[1]!, 80, false)) expect(plan).not.toMatch(/[\u2500-\u259f]/)
  })

  it('is coloured only if colours are enabled', () => {
    const [storey] = buildings[0]!.storeys
    const inColor = floorPlan(buildings[0]!, storey!, { columns: 80, style: { color: true, unicode: true } })
    expect(inColor.join('\n')).toContain('\u001b[30;48;5;')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    const bare = inColor.map((line) => line.replace(/\u001b\[[0-9;]*m/g, ''))
    expect(bare).toEqual(floorPlan(buildings[0]!, storey!, { columns: 80, style }))
  })
})

describe('labels', () => {
  it('are wrapped between words, or omitted', () => {
    expect(fitted(['Open office', 'R01'], 6, 3)).toEqual(['Open', 'office', 'R01'])
    expect(fitted(['Open office', 'R01'], 6, 2)).toBeUndefined()
    expect(fitted(['Auditorium'], 9, 5)).toBeUndefined()
  })

  it('have a unique mark for each type', () => {
    const marks = marksFor(['corridor', 'copy-room', 'cleaning-room', 'concourse', 'cafeteria', 'kitchen'])
    expect(new Set(marks.values()).size).toBe(6)
  })
})
