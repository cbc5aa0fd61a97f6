import { type FieldError, LIMITS, problems } from '@storey/contract'
import { createYield } from '@storey/kit/yield-to-event-loop'
import { emptyObservations, type Observations, widen } from './observations.ts'

/** What a scanner found in a body. */
export interface Scanned {
  observations: Observations
  /** Unknown points as the body names them, in the order of arrival, each once. */
  unknown: string[]
  errors: FieldError[]
}

/** A scan in steps of a few milliseconds, so that other requests can run between two steps. */
export type Scan = Generator<undefined, Scanned, undefined>

/** The position of a scan: the next byte, and the number of observations before it. */
export interface Cursor {
  at: number
  count: number
}

/** The number of observations that are scanned in one step, which takes a millisecond or two. */
export const STEP = 2048

/** The maximum length of a line of line protocol, in bytes. A value of 1,000 characters needs at most 3,000 bytes. */
export const MAX_LINE_BYTES = 64 * 1024

/**
 * The maximum length of a JSON string that is decoded, in bytes. Any value of 1,000 characters is shorter, even if all
 * of its characters are escaped.
 */
export const MAX_STRING_BYTES = 16 * 1024

const CAPACITY = 4096

/** All scans by `scanAtOnce` use these columns: the observations of a scan are encoded before the next scan begins. */
const scratch = emptyObservations(CAPACITY)

/** Makes room for one more observation in full columns. */
export function makeRoom(columns: Observations): void {
  if (columns.points.length >= LIMITS.observation.perRequest) throw problems.tooManyObservations()
  widen(columns)
}

/** Scans the whole body without pauses between the steps. The columns are valid until the next call. */
export function scanAtOnce(start: (columns: Observations) => Scan): Scanned {
  const scan = start(scratch)
  for (;;) {
    const { done, value } = scan.next()
    if (done) return value
  }
}

/** Scans a large body in steps, between which other requests run. The columns are not shared. */
export async function scanInSteps(start: (columns: Observations) => Scan): Promise<Scanned> {
  const scan = start(emptyObservations(CAPACITY))
  const yieldIfDue = createYield()
  for (;;) {
    const { done, value } = scan.next()
    if (done) return value
    await yieldIfDue()
  }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** The position of the first byte that is not part of a byte order mark. */
export const startOfText = (body: Buffer): number =>
  body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0

/** Gives the number of the line at a position, from 1. The positions of consecutive calls must ascend. */
export class LineCounter {
  readonly #bytes: Uint8Array
  #at = 0
  #line = 1
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  lineAt(position: number): number {
    for (; this.#at < position; this.#at++) if (this.#bytes[this.#at] === 10) this.#line++
    return this.#line
  }
}
