import { type Ink, inkOn } from '../colouring/contrast.ts'
import { LINE_HEIGHT, type Line, linesFor } from './labels.ts'
import type { RoomLayout } from './layout.ts'

/** The SVG elements of a room that change without React, and their current content. */
export interface RoomParts {
  group: SVGGElement
  shape: SVGPathElement
  /** The two lines of the name. */
  names: readonly [SVGTextElement, SVGTextElement]
  value: SVGTextElement
  shown: {
    color?: string | undefined
    ink?: Ink | undefined
    text?: string | undefined
    scale?: number
    description?: string
  }
}

/** The rooms of a plan by id. */
export function partsOf(drawing: SVGSVGElement): Map<string, RoomParts> {
  const labels = new Map(
    Array.from(drawing.querySelectorAll<SVGGElement>('[data-label]'), (node) => [node.dataset.label!, node]),
  )
  const found = new Map<string, RoomParts>()
  for (const group of drawing.querySelectorAll<SVGGElement>('[data-room]')) {
    const id = group.dataset.room!
    const shape = group.firstElementChild as SVGPathElement
    const [first, second, value] = labels.get(id)!.children as unknown as Iterable<SVGTextElement>
    // A room that was already drawn keeps its colour.
    const shown = { color: shape.style.fill || undefined }
    found.set(id, { group, shape, names: [first!, second!], value: value!, shown })
  }
  return found
}

/**
 * Sets the colour of a room. Each changed element costs the browser about 20 µs for styles. This function changes
 * one element per room, so that a storey of two hundred rooms is updated within a frame.
 */
export function paintRoom({ shape, shown }: RoomParts, color: string | undefined): void {
  if (shown.color === color) return
  shown.color = color
  shape.style.fill = color ?? ''
}

/** Sets the accessible name of a room. */
export function describeRoom({ group, shown }: RoomParts, description: string): void {
  if (shown.description === description) return
  shown.description = description
  group.setAttribute('aria-label', description)
}

/** Draws the label that fits into a room at this scale, with enough contrast to the colour of the room. */
export function drawLabel(parts: RoomParts, room: RoomLayout, text: string | undefined, scale: number): void {
  const { shown } = parts
  const ink = shown.color === undefined ? undefined : inkOn(shown.color)
  if (shown.scale === scale && shown.text === text && shown.ink === ink) return
  shown.scale = scale
  shown.text = text
  shown.ink = ink
  const { name, code } = room.space
  const lines = linesFor(room.labelArea, scale, { value: text, name, code })
  const value = lines.find(({ isValue }) => isValue)
  const [first, second] = lines.filter((line) => line !== value)
  // The middle of the lines is the centre of the label area.
  const heights = lines.map(({ size }) => (size * LINE_HEIGHT) / scale)
  let top = room.labelArea.y - heights.reduce((sum, height) => sum + height, 0) / 2
  for (const [node, line] of [
    [parts.names[0], first],
    [parts.names[1], second],
    [parts.value, value],
  ] as const) {
    const height = line ? (line.size * LINE_HEIGHT) / scale : 0
    drawLine(node, line, top + height / 2, scale, ink)
    top += height
  }
}

function drawLine(node: SVGTextElement, line: Line | undefined, y: number, scale: number, ink: Ink | undefined): void {
  const text = line?.text ?? ''
  if (node.textContent !== text) node.textContent = text
  // An empty line needs no other attributes.
  if (!line) return
  setAttribute(node, 'font-size', (line.size / scale).toFixed(3))
  setAttribute(node, 'y', y.toFixed(3))
  setAttribute(node, 'data-ink', ink ?? 'plain')
}

function setAttribute(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value)
}
