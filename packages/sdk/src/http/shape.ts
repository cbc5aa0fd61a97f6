import { StoreyError } from '../errors.ts'

/** Checks the minimum that a response must have. Other fields are not checked. */
export type Shape = (body: unknown) => boolean

export const aRecord: Shape = (body) => typeof body === 'object' && body !== null && !Array.isArray(body)

export const aBody: Shape = (body) => body === undefined || (typeof body === 'object' && body !== null)

/** Checks only that `data` is an array, because the prepared responses in a module's tests may have no `total`. */
export const rows: Shape = (body) => aRecord(body) && Array.isArray((body as { data?: unknown }).data)

export const aList: Shape = (body) => rows(body) && Number.isFinite((body as { total?: unknown }).total)

export const withTexts =
  (...names: readonly string[]): Shape =>
  (body) =>
    aRecord(body) && names.every((name) => typeof (body as Record<string, unknown>)[name] === 'string')

/** The error for a response that is not from Storey. */
export function notFromStorey(path: string, status: number, title: string, cause?: unknown): StoreyError {
  const detail = `The response of ${path} is not from Storey: is the url of the client the address of a Storey API?`
  return new StoreyError({ type: 'about:blank', title, status, detail, code: 'UNKNOWN' }, { cause })
}
