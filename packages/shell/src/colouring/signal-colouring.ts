import { CATEGORY_COLORS, compareCodePoints, OTHERS_COLOR } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'
import { isNumeric, numberOf } from '../live/format-value.ts'
import type { Reading, ValueStore } from '../live/value-store.ts'
import { type Band, bandFor, bandsOf } from './bands.ts'
import { type Colouring, counted } from './colouring.ts'
import type { Signal } from './signals.ts'

export interface SignalWords {
  title: string
  unit: string
  yes: string
  no: string
  number(value: number): string
}

interface Tone {
  key: string
  label: string
  color: string
}

/** Rooms in the colours of what is measured in them at this moment. */
export function signalColouring(signal: Signal, values: ValueStore, words: SignalWords): Colouring {
  const readingIn = (spaceId: string) => newest(signal.pointsBySpace.get(spaceId) ?? [], values)
  const palette = signal.isState
    ? statePalette(signal, words, readingIn)
    : numberPalette(signal, words, values, readingIn)
  const shadeOf: Colouring['shadeOf'] = ({ id }) => {
    const reading = readingIn(id)
    return reading && palette.toneOf(reading.value)
  }
  return {
    id: `live:${signal.id}`,
    title: words.title,
    unit: words.unit,
    shadeOf,
    textOf({ id }: SpaceNode) {
      const reading = readingIn(id)
      return reading && palette.textOf(reading.value)
    },
    unitOf({ id }) {
      const reading = readingIn(id)
      return reading && palette.isNumber(reading.value) ? words.unit : ''
    },
    atOf: ({ id }) => readingIn(id)?.at,
    legend: (spaces) => counted(palette.tones(), spaces, shadeOf),
    watch(tell) {
      const spaceOf = new Map<string, string>()
      for (const [spaceId, points] of signal.pointsBySpace) for (const { id } of points) spaceOf.set(id, spaceId)
      return values.watchAll((pointIds) => {
        const changed = new Set<string>()
        for (const pointId of pointIds) {
          const spaceId = spaceOf.get(pointId)
          if (spaceId !== undefined) changed.add(spaceId)
        }
        if (changed.size > 0) tell(changed)
      })
    },
  }
}

/** Of several sensors in a room the one that spoke last. */
function newest(points: readonly { id: string }[], values: ValueStore): Reading | undefined {
  let best: Reading | undefined
  for (const { id } of points) {
    const reading = values.get(id)
    if (reading && (!best || reading.at > best.at)) best = reading
  }
  return best
}

interface Palette {
  toneOf(value: string): Tone | undefined
  textOf(value: string): string
  /** Whether its text is a number, which has a unit. */
  isNumber(value: string): boolean
  tones(): Tone[]
}
type ReadingIn = (spaceId: string) => Reading | undefined

function numberPalette(signal: Signal, words: SignalWords, values: ValueStore, readingIn: ReadingIn): Palette {
  let known = -1
  let kept: Band[] = []
  // Bounds that follow from the values follow them as points speak for the first time, and then stay.
  const bands = () => {
    if (known === values.size) return kept
    known = values.size
    const numbers = Array.from(signal.pointsBySpace.keys(), (id) => numberOf(readingIn(id)?.value ?? ''))
    kept = bandsOf(signal, numbers.filter(Number.isFinite), words.number)
    return kept
  }
  return {
    toneOf: (value) => bandFor(bands(), numberOf(value)),
    textOf: (value) => (isNumeric(value) ? words.number(numberOf(value)) : value),
    isNumber: isNumeric,
    tones: bands,
  }
}

/** On and off, and whatever else a device says. */
function statePalette(signal: Signal, words: SignalWords, readingIn: ReadingIn): Palette {
  const on: Tone = { key: '1', label: words.yes, color: '#44aa99' }
  const off: Tone = { key: '0', label: words.no, color: '#d9dee3' }
  const further = new Set<string>()
  for (const spaceId of signal.pointsBySpace.keys()) {
    const value = readingIn(spaceId)?.value
    if (value !== undefined && value !== '0' && value !== '1') further.add(value)
  }
  const spare = CATEGORY_COLORS.filter((color) => color !== on.color)
  const tones = [on, off]
  for (const [i, value] of [...further].sort(compareCodePoints).entries()) {
    tones.push({ key: value, label: value, color: spare[i] ?? OTHERS_COLOR })
  }
  const byKey = new Map(tones.map((tone) => [tone.key, tone]))
  const toneOf = (value: string) => {
    const known = byKey.get(value)
    if (known) return known
    const tone = { key: value, label: value, color: spare[byKey.size - 2] ?? OTHERS_COLOR }
    byKey.set(value, tone)
    tones.push(tone)
    return tone
  }
  // Yes and no are words.
  const isNumber = (value: string) => value !== '0' && value !== '1' && isNumeric(value)
  return { toneOf, textOf: (value) => toneOf(value).label, isNumber, tones: () => [...tones] }
}
