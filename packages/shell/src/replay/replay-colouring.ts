import type { SpaceNode } from '@storey/sdk'
import { bandFor, bandsOf, quantileBands } from '../colouring/bands.ts'
import { type Colouring, countShades } from '../colouring/colouring.ts'
import { type SignalTexts, statePalette, type Tone } from '../colouring/signal-colouring.ts'
import type { Signal } from '../colouring/signals.ts'
import type { Frames } from './frames.ts'
import { type ReplayWindow, timeOf } from './window.ts'

export interface ReplayColouring extends Colouring {
  /**
   * Shows a frame. During playback, a room that keeps its colour gets its new label up to `PARTS` frames of the display
   * later.
   */
  show(frame: number, isPlaying: boolean): void
  /** The colours of the legend. */
  tones: readonly Tone[]
  /** The number of rooms of each colour in a frame, in the order of `tones`. */
  countAt(frame: number): readonly number[]
}

/** The labels are divided into this many parts. While a replay plays, each frame of the display draws one part. */
const PARTS = 8
const NO_TONE = 255

/**
 * Colours the rooms by their values at a moment of the past. The colour of every room in every frame is computed in
 * advance, and `show` reports only the rooms that change, so that showing a frame takes a fraction of a millisecond.
 */
export function replayColouring(
  signal: Signal,
  frames: Frames,
  window: ReplayWindow,
  texts: SignalTexts,
): ReplayColouring {
  const { rooms, count, values } = frames
  const { tones, toneOf } = signal.isState ? stateTones(values, texts) : numberTones(signal, frames, texts)
  const toneAt = Uint8Array.from(values, (value) => (Number.isNaN(value) ? NO_TONE : toneOf(value)))
  /** The frame that each room shows, by the index of the room. */
  const shown = new Int32Array(rooms.size)
  const listeners = new Set<(spaceIds: ReadonlySet<string>) => void>()
  let part = 0

  const placeOf = (spaceId: string) => {
    const room = rooms.get(spaceId)
    return room === undefined ? undefined : room * count + shown[room]!
  }
  const numberIn = ({ id }: SpaceNode) => {
    const place = placeOf(id)
    return place === undefined ? Number.NaN : values[place]!
  }
  const shadeOf = ({ id }: SpaceNode) => {
    const place = placeOf(id)
    return place === undefined ? undefined : tones[toneAt[place]!]
  }
  return {
    id: `live:${signal.id}`,
    title: texts.title,
    unit: texts.unit,
    tones,
    shadeOf,
    textOf(space) {
      const value = numberIn(space)
      if (Number.isNaN(value)) return undefined
      return signal.isState ? shadeOf(space)?.label : texts.number(value)
    },
    unitOf: (space) => (signal.isState || Number.isNaN(numberIn(space)) ? '' : texts.unit),
    atOf({ id }) {
      const room = rooms.get(id)
      return room === undefined ? undefined : timeOf(window, shown[room]!)
    },
    legend: (spaces) => countShades(tones, spaces, shadeOf),
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    show(frame, isPlaying) {
      part = (part + 1) % PARTS
      const changed = new Set<string>()
      for (const [id, room] of rooms) {
        const [before, now] = [room * count + shown[room]!, room * count + frame]
        if (before === now) continue
        if (isPlaying && toneAt[before] === toneAt[now] && room % PARTS !== part) continue
        shown[room] = frame
        if (!Object.is(values[before], values[now])) changed.add(id)
      }
      if (changed.size > 0) for (const listener of listeners) listener(changed)
    },
    countAt(frame) {
      const counts = tones.map(() => 0)
      for (let room = 0; room < rooms.size; room++) {
        const tone = toneAt[room * count + frame]!
        if (tone !== NO_TONE) counts[tone]! += 1
      }
      return counts
    },
  }
}

interface Tones {
  tones: readonly Tone[]
  /** The index of a value's colour in `tones`. */
  toneOf(value: number): number
}

function numberTones(signal: Signal, { values, kind }: Frames, texts: SignalTexts): Tones {
  const known = Array.from(values.filter((value) => !Number.isNaN(value)))
  const bands = kind === 'consumed' ? quantileBands(known, texts) : bandsOf(signal, known, texts)
  return { tones: bands, toneOf: (value) => placeIn(bands, bandFor(bands, texts.round(value))) }
}

function stateTones(values: Float64Array, texts: SignalTexts): Tones {
  const states = new Set(Array.from(values).filter((value) => !Number.isNaN(value)))
  const palette = statePalette(Array.from(states, String), texts)
  const tones = palette.tones()
  return { tones, toneOf: (value) => placeIn(tones, palette.toneOf(String(value))) }
}

const placeIn = (tones: readonly Tone[], tone: Tone | undefined): number => {
  const place = tone === undefined ? -1 : tones.indexOf(tone)
  return place === -1 ? NO_TONE : place
}
