import { type FieldError, formatCount, PlainObservations } from '@storey/contract'
import { createBodyCheck, parseJson } from '@storey/kit/http'
import { LineCounter } from './scanned.ts'

/** A line with more bytes than this is not parsed to explain its error. */
const MAX_BYTES = 64 * 1024

const explain = createBodyCheck(PlainObservations.properties.observations.items)

/** The errors of the line at which the scanner of NDJSON stopped. */
export function errorsOfLine(body: Buffer, { index, at }: { index: number; at: number }): FieldError[] {
  const line = new LineCounter(body).lineAt(at)
  const pointer = `/observations/${index}`
  const oneError = (detail: string): FieldError[] => [{ pointer, in: 'body', line, detail: `line ${line}: ${detail}` }]
  const newline = body.indexOf(10, at)
  const end = newline < 0 ? body.length : newline
  if (end - at > MAX_BYTES) {
    return oneError(
      `is not a valid observation; a line of over ${formatCount(MAX_BYTES)} bytes is not checked in detail`,
    )
  }
  const observation = parsedText(body.subarray(at, end))
  if (observation === undefined) return oneError('is not a JSON object on a line of its own')
  const errors = explain(observation)
  if (errors.length === 0) return oneError('contains a lone surrogate, which is half a character')
  return errors.map((error) => ({
    ...{ ...error, line, pointer: pointer + error.pointer },
    detail: `line ${line}: ${error.pointer === '' ? 'must be object' : error.detail}`,
  }))
}

function parsedText(text: Buffer): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
