import { type Ink, inkOn } from '../colouring/contrast.ts'
import { type Line, linesFor } from './labels.ts'
import type { RoomLayout } from './layout.ts'

/** The parts of a drawn room that change without React, and what stands in them. */
export interface RoomParts {
  group: SVGGElement
  shape: SVGPathElement
  name: SVGTextElement
  value: SVGTextElement
  shown: {
    color?: string | undefined
    ink?: Ink | undefined
    text?: string | undefined
    scale?: number
    description?: string
  }
}

/** The rooms of a plan by their ids. */
export function partsOf(drawing: SVGSVGElement): Map<string, RoomParts> {
  const words = new Map(
    Array.from(drawing.querySelectorAll<SVGGElement>('[data-words]'), (node) => [node.dataset.words!, node]),
  )
  const found = new Map<string, RoomParts>()
  for (const group of drawing.querySelectorAll<SVGGElement>('[data-room]')) {
    const id = group.dataset.room!
    const shape = group.firstElementChild as SVGPathElement
    const [name, value] = words.get(id)!.children as unknown as Iterable<SVGTextElement>
    // A room that stays when others go still has the colour it had.
    const shown = { color: shape.style.fill || undefined }
    found.set(id, { group, shape, name: name!, value: value!, shown })
  }
  return found
}

/**
 * Fills a room. Each element that is touched costs the browser some 20 µs of style: this touches one, so that a storey of
 * two hundred rooms changes within a frame.
 */
export function paintRoom({ shape, shown }: RoomParts, color: string | undefined): void {
  if (shown.color === color) return
  shown.color = color
  shape.style.fill = color ?? ''
}

/** What is said of the room where it is not seen. */
export function describeRoom({ group, shown }: RoomParts, description: string): void {
  if (shown.description === description) return
  shown.description = description
  group.setAttribute('aria-label', description)
}

/** Writes what fits into a room at this scale, to be read on its colour. */
export function letterRoom(parts: RoomParts, room: RoomLayout, text: string | undefined, scale: number): void {
  const { shown } = parts
  const ink = shown.color === undefined ? undefined : inkOn(shown.color)
  if (shown.scale === scale && shown.text === text && shown.ink === ink) return
  shown.scale = scale
  shown.text = text
  shown.ink = ink
  const { name, code } = room.space
  const lines = linesFor(room.place, scale, { value: text, name, code })
  const value = lines.find(({ isValue }) => isValue)
  const title = lines.find((line) => line !== value)
  const both = title && value
  const at = { y: room.place.y, scale, ink }
  write(parts.name, title, both ? -0.62 : 0, at)
  write(parts.value, value, both ? 0.55 : 0, at)
}

/** `shift` is in lines, from the middle of the place. */
function write(
  node: SVGTextElement,
  line: Line | undefined,
  shift: number,
  { y, scale, ink }: { y: number; scale: number; ink: Ink | undefined },
): void {
  const text = line?.text ?? ''
  if (node.textContent !== text) node.textContent = text
  // Words that are not there need no ink.
  if (!line) return
  const size = line.size / scale
  setTo(node, 'font-size', size.toFixed(3))
  setTo(node, 'y', (y + size * shift * 1.1).toFixed(3))
  setTo(node, 'data-ink', ink ?? 'plain')
}

function setTo(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value)
}
