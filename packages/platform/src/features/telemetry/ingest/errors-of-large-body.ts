import { type FieldError, formatCount, PlainObservations } from '@storey/contract'
import { createBodyCheck, endOfValue, parseJson } from '@storey/kit/http'

/** An observation with more bytes than this is not parsed to explain its error. */
const MAX_BYTES = 64 * 1024

const explain = createBodyCheck(PlainObservations.properties.observations.items)

/**
 * The errors of a large body that could not be scanned: only those of the observation at which the scanner stopped. To
 * parse the whole body for further errors would take seconds.
 */
export function errorsOf(body: Buffer, place: { index: number; at: number } | undefined): FieldError[] {
  if (place === undefined) {
    return [{ pointer: '', in: 'body', detail: 'the body must be UTF-8 JSON that contains only observations' }]
  }
  const { index, at } = place
  const name = `observations.${index}`
  const pointer = `/observations/${index}`
  const oneError = (detail: string): FieldError[] => [{ pointer, in: 'body', detail: `${name} ${detail}` }]
  const observation = parsed(body, at)
  if (observation === undefined) return oneError(`is not valid JSON, or has more than ${formatCount(MAX_BYTES)} bytes`)
  const errors = explain(observation)
  if (errors.length === 0)
    return oneError('is not followed by a comma, or contains half a character (a lone surrogate)')
  return errors.map((error) => ({
    ...error,
    pointer: pointer + error.pointer,
    detail: error.pointer === '' ? `${name} must be object` : `${name}.${error.detail}`,
  }))
}

function parsed(body: Buffer, at: number): unknown {
  try {
    const end = endOfValue(body, at, MAX_BYTES)
    return end === undefined ? undefined : parseJson(body.subarray(at, end))
  } catch {
    return undefined
  }
}
