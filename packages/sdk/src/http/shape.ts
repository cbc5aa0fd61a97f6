import { StoreyError } from '../errors.ts'

/** The minimum that an answer must have; other fields are not checked. */
export type Shape = (body: unknown) => boolean

export const aRecord: Shape = (body) => typeof body === 'object' && body !== null && !Array.isArray(body)

export const aBody: Shape = (body) => body === undefined || (typeof body === 'object' && body !== null)

/** Rows only, for the answers of a module's tests. */
export const rows: Shape = (body) => aRecord(body) && Array.isArray((body as { data?: unknown }).data)

export const aList: Shape = (body) => rows(body) && Number.isFinite((body as { total?: unknown }).total)

export const withTexts =
  (...names: readonly string[]): Shape =>
  (body) =>
    aRecord(body) && names.every((name) => typeof (body as Record<string, unknown>)[name] === 'string')

/** The answer is not from Storey. */
export function notOfStorey(path: string, status: number, title: string, cause?: unknown): StoreyError {
  const detail = `The answer of ${path} is not one of Storey: does the address name its API?`
  return new StoreyError({ type: 'about:blank', title, status, detail, code: 'UNKNOWN' }, { cause })
}
