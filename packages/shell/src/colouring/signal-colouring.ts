import { CATEGORY_COLORS, compareCodePoints, OTHERS_COLOR } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'
import { isNumeric, numberOf } from '../live/format-value.ts'
import type { Reading, ValueStore } from '../live/value-store.ts'
import { type Band, type BoundFormat, bandFor, bandsOf } from './bands.ts'
import { type Colouring, countShades } from './colouring.ts'
import type { Signal } from './signals.ts'

export interface SignalTexts extends BoundFormat {
  title: string
  unit: string
  yes: string
  no: string
  number(value: number): string
}

export interface Tone {
  key: string
  label: string
  color: string
}

/** Colours the rooms by their latest readings. */
export function signalColouring(signal: Signal, values: ValueStore, texts: SignalTexts): Colouring {
  const readingIn = (spaceId: string) => newestReading(signal.pointsBySpace.get(spaceId) ?? [], values)
  const palette = signal.isState
    ? statePalette(
        Array.from(signal.pointsBySpace.keys(), (id) => readingIn(id)?.value),
        texts,
      )
    : numberPalette(signal, texts, values, readingIn)
  const shadeOf: Colouring['shadeOf'] = ({ id }) => {
    const reading = readingIn(id)
    return reading && palette.toneOf(reading.value)
  }
  return {
    id: `live:${signal.id}`,
    title: texts.title,
    unit: texts.unit,
    shadeOf,
    textOf({ id }: SpaceNode) {
      const reading = readingIn(id)
      return reading && palette.textOf(reading.value)
    },
    unitOf({ id }) {
      const reading = readingIn(id)
      return reading && palette.isNumber(reading.value) ? texts.unit : ''
    },
    numberOf({ id }) {
      const value = readingIn(id)?.value
      return value !== undefined && palette.isNumber(value) ? numberOf(value) : undefined
    },
    atOf: ({ id }) => readingIn(id)?.at,
    legend: (spaces) => countShades(palette.tones(), spaces, shadeOf),
    watch(listener) {
      const spaceOf = new Map<string, string>()
      for (const [spaceId, points] of signal.pointsBySpace) for (const { id } of points) spaceOf.set(id, spaceId)
      return values.watchAll((pointIds) => {
        const changed = new Set<string>()
        for (const pointId of pointIds) {
          const spaceId = spaceOf.get(pointId)
          if (spaceId !== undefined) changed.add(spaceId)
        }
        if (changed.size > 0) listener(changed)
      })
    },
  }
}

/** The newest reading of these points. */
export function newestReading(points: readonly { id: string }[], values: Pick<ValueStore, 'get'>): Reading | undefined {
  let best: Reading | undefined
  for (const { id } of points) {
    const reading = values.get(id)
    if (reading && (!best || reading.at > best.at)) best = reading
  }
  return best
}

export interface Palette {
  toneOf(value: string): Tone | undefined
  textOf(value: string): string
  /** Whether the value is shown as a number with a unit. */
  isNumber(value: string): boolean
  tones(): Tone[]
}
type ReadingIn = (spaceId: string) => Reading | undefined

function numberPalette(signal: Signal, texts: SignalTexts, values: ValueStore, readingIn: ReadingIn): Palette {
  let known = -1
  let cached: Band[] = []
  // Derived bounds change only when a point reports its first value.
  const bands = () => {
    if (known === values.size) return cached
    known = values.size
    const numbers = Array.from(signal.pointsBySpace.keys(), (id) => numberOf(readingIn(id)?.value ?? ''))
    cached = bandsOf(signal, numbers.filter(Number.isFinite), texts)
    return cached
  }
  return {
    toneOf: (value) => bandFor(bands(), texts.round(numberOf(value))),
    textOf: (value) => (isNumeric(value) ? texts.number(numberOf(value)) : value),
    isNumber: isNumeric,
    tones: bands,
  }
}

/** The tones of on, off, and any other state that a device reports. */
export function statePalette(
  values: readonly (string | undefined)[],
  texts: Pick<SignalTexts, 'yes' | 'no' | 'theme'>,
): Palette {
  const on: Tone = { key: '1', label: texts.yes, color: '#44aa99' }
  const off: Tone = { key: '0', label: texts.no, color: texts.theme === 'dark' ? '#353f45' : '#d9dee3' }
  const otherStates = new Set<string>()
  for (const value of values) {
    if (value !== undefined && value !== '0' && value !== '1') otherStates.add(value)
  }
  const freeColours = CATEGORY_COLORS.filter((color) => color !== on.color)
  const tones = [on, off]
  for (const [i, value] of [...otherStates].sort(compareCodePoints).entries()) {
    tones.push({ key: value, label: value, color: freeColours[i] ?? OTHERS_COLOR })
  }
  const byKey = new Map(tones.map((tone) => [tone.key, tone]))
  const toneOf = (value: string) => {
    const known = byKey.get(value)
    if (known) return known
    const tone = { key: value, label: value, color: freeColours[byKey.size - 2] ?? OTHERS_COLOR }
    byKey.set(value, tone)
    tones.push(tone)
    return tone
  }
  // 1 and 0 are shown as yes and no, not as numbers.
  const isNumber = (value: string) => value !== '0' && value !== '1' && isNumeric(value)
  return { toneOf, textOf: (value) => toneOf(value).label, isNumber, tones: () => [...tones] }
}
