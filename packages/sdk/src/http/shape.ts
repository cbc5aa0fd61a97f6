import { StoreyError } from '../errors.ts'

/** The least that an answer must have to be used; the rest is between the service and the wire types. */
export type Shape = (body: unknown) => boolean

export const aRecord: Shape = (body) => typeof body === 'object' && body !== null && !Array.isArray(body)

export const aBody: Shape = (body) => body === undefined || (typeof body === 'object' && body !== null)

/** Rows; the answers that a module's test makes up have no more. */
export const rows: Shape = (body) => aRecord(body) && Array.isArray((body as { data?: unknown }).data)

export const aList: Shape = (body) => rows(body) && Number.isFinite((body as { total?: unknown }).total)

export const withTexts =
  (...names: readonly string[]): Shape =>
  (body) =>
    aRecord(body) && names.every((name) => typeof (body as Record<string, unknown>)[name] === 'string')

/** Something answered, and it is not what Storey says there. */
export function notOfStorey(path: string, status: number, title: string, cause?: unknown): StoreyError {
  const detail = `The answer of ${path} is not one of Storey: does the address name its API?`
  return new StoreyError({ type: 'about:blank', title, status, detail, code: 'UNKNOWN' }, { cause })
}
