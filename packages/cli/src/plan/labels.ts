import type { Space } from '@storey/building'
import { spaceType } from '@storey/contract'

/** The possible labels of a room, the preferred one first. */
export function labelsFor(space: Space, mark: string): string[][] {
  const number = numberOf(space)
  const name = space.name.replace(/ [A-Z]\w*\.\d+$/, '')
  return [[name, number], [name], [mark, number], [mark], [number]].map((lines) => lines.filter((line) => line !== ''))
}

/** The part of the code that is unique on a storey. */
export function numberOf({ code }: Space): string {
  return code.slice(code.indexOf('-') + 1)
}

/** Words wrapped to the width of a room; undefined if they do not fit. */
export function fitted(lines: readonly string[], columns: number, rows: number): string[] | undefined {
  const broken: string[] = []
  for (const line of lines) {
    let current = ''
    for (const word of line.split(' ')) {
      if (word.length > columns) return undefined
      if (current === '') current = word
      else if (current.length + 1 + word.length <= columns) current += ` ${word}`
      else {
        broken.push(current)
        current = word
      }
    }
    broken.push(current)
  }
  return broken.length <= rows ? broken : undefined
}

/**
 * A mark for each type of room on a storey: two letters of the type's name that are not the mark of another type,
 * initials if possible. If all such pairs are taken, the mark is the first three letters.
 */
export function marksFor(types: readonly string[]): Map<string, string> {
  const marks = new Map<string, string>()
  const taken = new Set<string>()
  for (const type of types) {
    const words = typeName(type)
      .replace(/[^A-Za-z ]/g, '')
      .split(' ')
    const letters = words.join('').toUpperCase()
    const initials = words
      .map((word) => word.charAt(0))
      .join('')
      .toUpperCase()
      .slice(0, 2)
    const candidates = [initials, ...Array.from(letters.slice(1), (letter) => letters.charAt(0) + letter)]
    const mark = candidates.find((candidate) => candidate.length === 2 && !taken.has(candidate)) ?? letters.slice(0, 3)
    taken.add(mark)
    marks.set(type, mark)
  }
  return marks
}

export const typeName = (slug: string): string => spaceType(slug)?.name ?? slug
