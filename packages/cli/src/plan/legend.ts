import type { Space } from '@storey/building'
import { onColor, type Style } from '../output/style.ts'
import { typeName } from './labels.ts'

const COLORS: Record<string, number> = {
  ...{ 'open-office': 153, 'private-office': 117, 'shared-office': 152, 'management-office': 117, 'focus-room': 117 },
  ...{ 'meeting-room': 223, 'training-room': 222, 'phone-booth': 230, auditorium: 222 },
  ...{ kitchen: 216, cafeteria: 217, 'break-room': 216, restaurant: 216, 'food-court': 217, lounge: 217 },
  ...{ shop: 218, 'anchor-store': 211, kiosk: 218, supermarket: 211, cinema: 211 },
  ...{ corridor: 255, concourse: 230, atrium: 230, lobby: 225, reception: 225, 'lift-lobby': 187 },
  ...{ stair: 181, toilet: 158, 'changing-room': 158, parking: 254, 'parking-aisle': 250, ramp: 249 },
}
const SERVICE = 252
export const colorOf = (type: string) => COLORS[type] ?? SERVICE

/** The meaning of each mark and the number of its rooms, in columns. */
export function legend(
  spaces: readonly Space[],
  marks: ReadonlyMap<string, string>,
  columns: number,
  style: Style,
): string[] {
  const entries = [...marks].map(([type, mark]) => {
    const count = spaces.filter(({ spaceType }) => spaceType === type).length
    return { type, text: ` ${mark} `, name: `${typeName(type)} ${style.unicode ? '×' : 'x'} ${count}` }
  })
  const width = Math.max(...entries.map(({ text, name }) => text.length + name.length)) + 3
  const perLine = Math.max(1, Math.floor(columns / width))
  const lines: string[] = []
  for (let i = 0; i < entries.length; i += perLine) {
    const cells = entries.slice(i, i + perLine).map(({ type, text, name }) => {
      return `${onColor(style, colorOf(type), text)} ${name.padEnd(width - text.length - 1)}`
    })
    lines.push(cells.join('').trimEnd())
  }
  return lines
}
