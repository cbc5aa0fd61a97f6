import { inkOn } from '../colouring/contrast.ts'
import { type Line, linesFor } from './labels.ts'
import type { RoomLayout } from './layout.ts'

/** The parts of a drawn room that change without React, and what stands in them. */
export interface RoomParts {
  group: SVGGElement
  shape: SVGPathElement
  words: SVGGElement
  name: SVGTextElement
  value: SVGTextElement
  shown: { color?: string | undefined; ink?: string; text?: string | undefined; scale?: number; description?: string }
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
    const shown = { color: shape.dataset.color }
    found.set(id, { group, shape, words: words.get(id)!, name: name!, value: value!, shown })
  }
  return found
}

/** Fills a room. Only what differs is written: a storey of two hundred rooms changes within a frame. */
export function paintRoom({ words, shape, shown }: RoomParts, color: string | undefined): void {
  if (shown.color === color) return
  if ((shown.color === undefined) !== (color === undefined)) shape.toggleAttribute('data-filled', color !== undefined)
  shown.color = color
  if (color === undefined) {
    delete shape.dataset.color
    shape.style.removeProperty('fill')
  } else {
    shape.dataset.color = color
    shape.style.fill = color
  }
  const ink = color === undefined ? '' : inkOn(color)
  if (shown.ink !== ink) words.style.color = ink
  shown.ink = ink
}

/** What is said of the room where it is not seen. */
export function describeRoom({ group, shown }: RoomParts, description: string): void {
  if (shown.description === description) return
  shown.description = description
  group.setAttribute('aria-label', description)
}

/** Writes what fits into a room at this scale. */
export function letterRoom(parts: RoomParts, room: RoomLayout, text: string | undefined, scale: number): void {
  const { shown } = parts
  if (shown.scale === scale && shown.text === text) return
  shown.scale = scale
  shown.text = text
  const { name, code } = room.space
  const lines = linesFor(room.place, scale, { value: text, name, code })
  const value = lines.find((line) => line.text === text)
  const title = lines.find((line) => line !== value)
  const both = title && value
  write(parts.name, title, room, scale, both ? -0.62 : 0)
  write(parts.value, value, room, scale, both ? 0.55 : 0)
}

/** `shift` is in lines, from the middle of the place. */
function write(node: SVGTextElement, line: Line | undefined, room: RoomLayout, scale: number, shift: number): void {
  const text = line?.text ?? ''
  if (node.textContent !== text) node.textContent = text
  if (!line) return
  const size = line.size / scale
  setTo(node, 'font-size', size.toFixed(3))
  setTo(node, 'y', (room.place.y + size * shift * 1.1).toFixed(3))
}

function setTo(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value)
}
