import { isUtf8 } from 'node:buffer'
import { PlainObservations, problems } from '@storey/contract'
import { createBodyCheck, parseJson } from '@storey/kit/http'
import type { ScanTimes } from './check-observation.ts'
import { errorsOf } from './errors-of-large-body.ts'
import { errorsOfLine } from './errors-of-line.ts'
import type { ExternalIdIndex } from './external-id-index.ts'
import type { PointIndex } from './point-index.ts'
import type { Precision } from './read-epoch.ts'
import { scanLineProtocol } from './scan-line-protocol.ts'
import { NotPlain, scanInTurns, scanObservations } from './scan-observations.ts'
import { type Scanned, scanAtOnce, scanInSteps } from './scanned.ts'

export interface PointLookup {
  index: PointIndex
  /** Undefined if the form does not use external ids. */
  externalIds: ExternalIdIndex | undefined
}

/** How the bytes of a body become observations. */
export interface IngestForm {
  /** Whether the body may name points by their external ids. */
  readonly usesExternalIds: boolean
  /** Reads a small body in one step. The columns of the result are valid until the next call. */
  read(body: Buffer, points: PointLookup, time: ScanTimes): Scanned
  /** Reads a large body in steps, between which other requests run. */
  readLarge(body: Buffer, points: PointLookup, time: ScanTimes): Promise<Scanned>
}

const explain = createBodyCheck(PlainObservations)

/** `{"observations": […]}`. */
export const JSON_DOCUMENT: IngestForm = {
  usesExternalIds: false,
  read(body, { index }, time) {
    try {
      if (!isUtf8(body)) throw new NotPlain()
      return scanObservations(body, index, time)
    } catch (err) {
      if (err instanceof NotPlain) return parseSlowly(body, index, time)
      throw err
    }
  },
  async readLarge(body, { index }, time) {
    try {
      if (!isUtf8(body)) throw new NotPlain()
      return await scanInTurns(body, index, time)
    } catch (err) {
      if (err instanceof NotPlain) throw problems.validation(errorsOf(body, err.place))
      throw err
    }
  },
}

/**
 * Like JSON_DOCUMENT, but an observation without a timestamp is refused: a message that is delivered twice must be
 * stored once, so its observations must not get the time of a delivery.
 */
export const TIMED_JSON: IngestForm = {
  usesExternalIds: false,
  read: (body, points, time) => refuseUntimed(JSON_DOCUMENT.read(body, points, { ...time, now: Number.NaN })),
  readLarge: async (body, points, time) =>
    refuseUntimed(await JSON_DOCUMENT.readLarge(body, points, { ...time, now: Number.NaN })),
}

function refuseUntimed(scanned: Scanned): Scanned {
  const { count, times } = scanned.observations
  for (let i = 0; i < count; i++) {
    if (Number.isNaN(times[i])) throw problems.field('observations', 'an observation has no timestamp')
  }
  return scanned
}

/**
 * Parses a body that could not be scanned. If the body has errors, it is refused with all of them. Otherwise it is
 * written again as plain JSON and scanned.
 */
function parseSlowly(body: Buffer, index: PointIndex, time: ScanTimes): Scanned {
  const parsed = parseJson(body)
  const errors = explain(parsed)
  if (errors.length > 0) throw problems.validation(errors)
  try {
    return scanObservations(Buffer.from(JSON.stringify(parsed)), index, time)
  } catch (err) {
    if (err instanceof NotPlain)
      throw problems.field('observations', 'observations contain a lone surrogate, which is half a character')
    throw err
  }
}

/** NDJSON: an observation on each line. */
export const JSON_LINES: IngestForm = {
  usesExternalIds: false,
  read(body, { index }, time) {
    refuseOtherText(body)
    try {
      return scanObservations(body, index, time, 'lines')
    } catch (err) {
      throw refusalOfLine(body, err)
    }
  },
  async readLarge(body, { index }, time) {
    refuseOtherText(body)
    return await scanInTurns(body, index, time, 'lines').catch((err) => {
      throw refusalOfLine(body, err)
    })
  },
}

function refusalOfLine(body: Buffer, err: unknown): unknown {
  return err instanceof NotPlain ? problems.validation(errorsOfLine(body, err.place!)) : err
}

/** InfluxDB line protocol. */
export function lineProtocol(precision: Precision): IngestForm {
  const optionsOf = ({ index: points, externalIds }: PointLookup, time: ScanTimes) => ({
    ...{ points, externalIds: externalIds!, precision, ...time },
  })
  return {
    usesExternalIds: true,
    read(body, points, time) {
      refuseOtherText(body)
      return scanAtOnce((columns) => scanLineProtocol(body, optionsOf(points, time), columns))
    },
    async readLarge(body, points, time) {
      refuseOtherText(body)
      return await scanInSteps((columns) => scanLineProtocol(body, optionsOf(points, time), columns))
    },
  }
}

/** Line protocol by the unit of its timestamps. */
export const LINE_PROTOCOL = {
  ns: lineProtocol('ns'),
  us: lineProtocol('us'),
  ms: lineProtocol('ms'),
  s: lineProtocol('s'),
} satisfies Record<Precision, IngestForm>

function refuseOtherText(body: Buffer): void {
  if (isUtf8(body)) return
  throw problems.validation([{ pointer: '', in: 'body', detail: 'the body is not valid UTF-8' }])
}
