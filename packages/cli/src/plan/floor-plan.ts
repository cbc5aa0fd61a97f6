import type { Building, Polygon, Space, Storey } from '@storey/building'
import { onColor, type Style } from '../output/style.ts'
import { type Canvas, createCanvas, wallOf } from './canvas.ts'
import { fitted, labelsFor, marksFor } from './labels.ts'
import { colorOf, legend } from './legend.ts'

/** A character is about twice as high as it is wide. */
const HEIGHT_TO_WIDTH = 2
const MAX_COLUMNS = 120
const MIN_COLUMNS = 40
const MAX_ROWS = 46

export interface PlanOptions {
  columns: number
  style: Style
}

/** A storey seen from above, north up, with a legend of its room types. */
export function floorPlan(building: Building, storey: Storey, { columns, style }: PlanOptions): string[] {
  const spaces = building.spaces.filter(({ storeyKey }) => storeyKey === storey.key)
  const types = [...new Set(spaces.map((space) => space.spaceType))].sort()
  const marks = marksFor(types)
  const scale = scaleFor(storey, columns)
  const canvas = createCanvas(scale.column(scale.widthM) + 1, scale.row(0) + 1)
  for (const { polygon } of spaces) drawWalls(canvas, scale, polygon, 1)
  drawWalls(canvas, scale, storey.plate, 2)
  for (const space of spaces) fillRoom(canvas, scale, space, marks.get(space.spaceType)!)
  return [...printed(canvas, style), '', ...legend(spaces, marks, Math.min(columns, MAX_COLUMNS), style)]
}

interface Scale {
  widthM: number
  column(xM: number): number
  row(yM: number): number
}

function scaleFor({ plate }: Storey, columns: number): Scale {
  const [widthM, depthM] = plate[2]!
  const wide = Math.min(Math.max(columns, MIN_COLUMNS), MAX_COLUMNS) - 1
  const perM = Math.min(wide / widthM, (MAX_ROWS * HEIGHT_TO_WIDTH) / depthM)
  return {
    widthM,
    column: (xM) => Math.round(xM * perM),
    row: (yM) => Math.round(((depthM - yM) * perM) / HEIGHT_TO_WIDTH),
  }
}

function drawWalls(canvas: Canvas, { column, row }: Scale, polygon: Polygon, weight: 1 | 2): void {
  for (const [i, [x, y]] of polygon.entries()) {
    const [toX, toY] = polygon[(i + 1) % polygon.length]!
    canvas.line([column(x), row(y)], [column(toX), row(toY)], weight)
  }
}

interface Part {
  left: number
  top: number
  columns: number
  rows: number
}

/** Fills every part of the room, and writes the first label that fits, in the largest part into which it fits. */
function fillRoom(canvas: Canvas, scale: Scale, space: Space, mark: string): void {
  const parts = partsOf(space.polygon).map(([x0, y0, x1, y1]): Part => {
    const [left, top] = [scale.column(x0) + 1, scale.row(y1) + 1]
    return { left, top, columns: scale.column(x1) - left, rows: scale.row(y0) - top }
  })
  for (const part of parts) {
    for (let r = 0; r < part.rows; r++) {
      for (let c = 0; c < part.columns; c++) canvas.at(part.left + c, part.top + r).ground = space.spaceType
    }
  }
  for (const label of labelsFor(space, mark)) {
    for (const part of [...parts].sort((a, b) => b.columns * b.rows - a.columns * a.rows)) {
      const lines = fitted(label, part.columns, part.rows)
      if (lines === undefined) continue
      write(canvas, part, lines)
      return
    }
  }
}

/** All rectangles inside the room. Each side of a rectangle has the x or y coordinate of a corner of the room. */
function partsOf(polygon: Polygon): [x0: number, y0: number, x1: number, y1: number][] {
  const xs = [...new Set(polygon.map(([x]) => x))].sort((a, b) => a - b)
  const ys = [...new Set(polygon.map(([, y]) => y))].sort((a, b) => a - b)
  const found: [number, number, number, number][] = []
  for (const [i, x0] of xs.entries()) {
    for (const x1 of xs.slice(i + 1)) {
      for (const [j, y0] of ys.entries()) {
        for (const y1 of ys.slice(j + 1)) if (covers(polygon, xs, ys, x0, y0, x1, y1)) found.push([x0, y0, x1, y1])
      }
    }
  }
  return found
}

function covers(
  polygon: Polygon,
  xs: readonly number[],
  ys: readonly number[],
  ...[x0, y0, x1, y1]: [number, number, number, number]
): boolean {
  const inner = (all: readonly number[], from: number, to: number) =>
    all.slice(0, -1).flatMap((value, i) => (value >= from && value < to ? [(value + all[i + 1]!) / 2] : []))
  return inner(xs, x0, x1).every((x) => inner(ys, y0, y1).every((y) => isInside(polygon, x, y)))
}

function isInside(polygon: Polygon, x: number, y: number): boolean {
  let inside = false
  for (const [i, [x1, y1]] of polygon.entries()) {
    const [x2, y2] = polygon[(i + 1) % polygon.length]!
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside
  }
  return inside
}

function write(canvas: Canvas, part: Part, lines: readonly string[]): void {
  const top = part.top + Math.floor((part.rows - lines.length) / 2)
  for (const [i, line] of lines.entries()) {
    const left = part.left + Math.floor((part.columns - line.length) / 2)
    for (const [j, letter] of [...line].entries()) canvas.at(left + j, top + i).text = letter
  }
}

function printed(canvas: Canvas, style: Style): string[] {
  return Array.from({ length: canvas.rows }, (_, row) => {
    let line = ''
    for (let column = 0; column < canvas.columns; ) {
      const { ground } = canvas.at(column, row)
      let run = ''
      while (column < canvas.columns && canvas.at(column, row).ground === ground) {
        const cell = canvas.at(column++, row)
        run += wallOf(cell, style.unicode) ?? cell.text ?? ' '
      }
      line += ground === undefined ? run : onColor(style, colorOf(ground), run)
    }
    return line
  })
}
