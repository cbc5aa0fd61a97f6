import type { Element, Point, Storey } from '../building.ts'
import { globalId } from '../identity.ts'
import type { DeviceDesign } from './devices.ts'

/** Collects elements and their points, and gives each a key, a code and an IFC GlobalId. */
export interface Register {
  elements: Element[]
  points: Point[]
  add(
    design: DeviceDesign,
    place: { storey: Storey; spaceKey: string | null; number: string; serves?: string[] },
  ): Element
}

export function createRegister(seed: string): Register {
  const elements: Element[] = []
  const points: Point[] = []
  return {
    elements,
    points,
    add(design, { storey, spaceKey, number, serves = [] }) {
      const code = number === '' ? design.prefix : `${design.prefix}-${number}`
      const key = `element/${code}`
      const element: Element = {
        key,
        globalId: globalId(seed, key),
        code,
        name: number === '' ? design.name : `${design.name} ${number}`,
        elementType: design.elementType,
        storeyKey: storey.key,
        spaceKey,
        status: 'active',
        serves,
      }
      elements.push(element)
      for (const { suffix, name, pointType, quantityKind, unit } of design.points) {
        const pointCode = `${code}.${suffix}`
        const pointKey = `point/${pointCode}`
        points.push({
          key: pointKey,
          globalId: globalId(seed, pointKey),
          code: pointCode,
          name,
          elementKey: key,
          pointType,
          quantityKind,
          unit,
        })
      }
      return element
    },
  }
}

/** Formats a number for codes, with as many digits as the largest number has, and at least two. */
export const numbered = (number: number, largest: number): string =>
  String(number).padStart(Math.max(2, String(largest).length), '0')

/** The part of a code that names a storey: `03`, `00`, `P1`. */
export const storeyPart = (storey: Storey): string => (storey.index < 0 ? storey.code : storey.code.slice(1))
