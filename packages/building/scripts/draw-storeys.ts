/**
 * Draws a storey of each building type as SVG, for the documentation.
 * Usage: node packages/building/scripts/draw-storeys.ts <folder> [spec as JSON] [storey code]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spaceType } from '@storey/contract'
import {
  type Building,
  type BuildingSpec,
  generateBuilding,
  resolveSpec,
  type Space,
  type Storey,
} from '../src/index.ts'

const COLORS: Record<string, string> = {
  'open-office': '#cfe3f5',
  'private-office': '#b5d2ec',
  'shared-office': '#c2daf0',
  'meeting-room': '#f6d9a8',
  'phone-booth': '#f9e6c6',
  'break-room': '#f3c9b0',
  cafeteria: '#f3d5bd',
  'training-room': '#f8e2bd',
  kitchen: '#f3c9b0',
  reception: '#e7d3ee',
  lobby: '#efe6f5',
  corridor: '#f4f2ee',
  concourse: '#f7f3e8',
  atrium: '#fbf8ee',
  'parking-aisle': '#ececec',
  'lift-lobby': '#e3dccf',
  stair: '#d3cbbd',
  toilet: '#c9e4dc',
  shop: '#f5cfd0',
  'anchor-store': '#e9b3b8',
  restaurant: '#f3c9b0',
  'food-court': '#f8dcc8',
  'management-office': '#b5d2ec',
  parking: '#dfe5e8',
  ramp: '#cdd6da',
}
const SERVICE = '#d9d9d6'
const MARGIN = 24
const LEGEND_ROW = 20
const WIDTH = 1080

const [folder = 'storeys', specText = '{}', wantedCode] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
for (const buildingType of ['office', 'mall'] as const) {
  const spec = resolveSpec({ seed: 'storey', buildingType, ...(JSON.parse(specText) as Partial<BuildingSpec>) })
  const building = generateBuilding(spec)
  const storey = building.storeys.find(({ code }) => code === wantedCode) ?? fullest(building)
  const file = join(folder, `${buildingType}-storey.svg`)
  writeFileSync(file, drawing(building, storey))
  process.stdout.write(`${file}\n`)
}

/** Of the storeys above the ground storey, the one with the most spaces; without such storeys, the topmost one. */
function fullest({ storeys, spaces }: Building): Storey {
  const count = (storey: Storey) => spaces.filter((space) => space.storeyKey === storey.key).length
  const typical = storeys.filter(({ index }) => index > 0 || storeys.length === 1)
  return typical.sort((a, b) => count(b) - count(a))[0] ?? storeys.at(-1)!
}

function drawing(building: Building, storey: Storey): string {
  const spaces = building.spaces.filter((space) => space.storeyKey === storey.key)
  const [widthM, depthM] = storey.plate[2]!
  const scale = (WIDTH - 2 * MARGIN) / widthM
  const top = 52
  const planHeight = depthM * scale
  const toX = (x: number) => MARGIN + x * scale
  // The y axis points up (north) in the plan and down in the picture.
  const toY = (y: number) => top + planHeight - y * scale
  const types = [...new Set(spaces.map((space) => space.spaceType))].sort()
  const columns = 5
  const height = top + planHeight + 24 + Math.ceil(types.length / columns) * LEGEND_ROW + MARGIN
  const path = (space: Space) => `M${space.polygon.map(([x, y]) => `${fixed(toX(x))} ${fixed(toY(y))}`).join('L')}Z`
  const title = `${building.building.name}, ${storey.name.toLowerCase()}`
  const facts = `${spaces.length} spaces, ${Math.round(storey.areaSqm)} m², ${fixed(widthM)} × ${fixed(depthM)} m`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${fixed(height)}" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${fixed(height)}" fill="#ffffff"/>`,
    `<text x="${MARGIN}" y="30" font-size="18" fill="#222">${escaped(title)}</text>`,
    `<text x="${WIDTH - MARGIN}" y="30" font-size="13" fill="#666" text-anchor="end">${facts}</text>`,
    ...spaces.map((s) => `<path d="${path(s)}" fill="${colorOf(s)}" stroke="#4a4a4a" stroke-width="1"/>`),
    `<rect x="${toX(0)}" y="${toY(depthM)}" width="${fixed(widthM * scale)}" height="${fixed(planHeight)}" fill="none" stroke="#222" stroke-width="2.5"/>`,
    ...spaces.map((space) => label(space, scale, toX, toY)),
    ...types.map((type, i) => {
      const x = MARGIN + (i % columns) * ((WIDTH - 2 * MARGIN) / columns)
      const y = top + planHeight + 24 + Math.floor(i / columns) * LEGEND_ROW
      const swatch = `<rect x="${fixed(x)}" y="${fixed(y)}" width="13" height="13" fill="${COLORS[type] ?? SERVICE}" stroke="#4a4a4a" stroke-width="0.6"/>`
      return `${swatch}<text x="${fixed(x + 19)}" y="${fixed(y + 11)}" font-size="12" fill="#333">${escaped(spaceType(type)!.name)}</text>`
    }),
    '</svg>',
    '',
  ].join('\n')
}

function colorOf(space: Space): string {
  return space.status === 'vacant' ? '#fdf3f3' : (COLORS[space.spaceType] ?? SERVICE)
}

/** The label in the widest rectangle of the room: name, number and area if they fit, else the number, else nothing. */
function label(space: Space, scale: number, toX: (x: number) => number, toY: (y: number) => number): string {
  const { x0, y0, x1, y1 } = widestPart(space)
  const width = (x1 - x0) * scale
  const height = (y1 - y0) * scale
  const x = fixed(toX((x0 + x1) / 2))
  const y = toY((y0 + y1) / 2)
  const number = space.code.slice(space.code.indexOf('-') + 1)
  const fits = (text: string, size: number) => text.length * size * 0.55 < width - 6
  const text = (content: string, size: number, at: number, color: string) =>
    `<text x="${x}" y="${fixed(at)}" font-size="${size}" fill="${color}" text-anchor="middle">${escaped(content)}</text>`
  if (height > 34 && fits(space.name, 11)) {
    return (
      text(space.name, 11, y - 2, '#222') + text(`${number} · ${Math.round(space.areaSqm)} m²`, 9.5, y + 12, '#555')
    )
  }
  return height > 12 && fits(number, 10) ? text(number, 10, y + 3.5, '#444') : ''
}

/** The part of an L-shaped room that spans its whole width. A rectangle is returned as it is. */
function widestPart({ polygon }: Space): { x0: number; y0: number; x1: number; y1: number } {
  const xs = [...new Set(polygon.map(([x]) => x))].sort((a, b) => a - b)
  const ys = [...new Set(polygon.map(([, y]) => y))].sort((a, b) => a - b)
  const whole = { x0: xs[0]!, x1: xs.at(-1)!, y0: ys[0]!, y1: ys.at(-1)! }
  if (polygon.length === 4) return whole
  const corners = new Set(polygon.map(([x, y]) => `${x} ${y}`))
  // The part that spans the whole width is on the side where both corners of the bounding box are corners of the room.
  const isLow = corners.has(`${whole.x0} ${whole.y0}`) && corners.has(`${whole.x1} ${whole.y0}`)
  return isLow ? { ...whole, y1: ys[1]! } : { ...whole, y0: ys[1]! }
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
