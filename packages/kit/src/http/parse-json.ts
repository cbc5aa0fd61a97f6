import { type Problem, problems } from '@storey/contract'
import { MAX_DEPTH } from './body-rule.ts'
import { pointerTo } from './pointer.ts'
import { JsonScanner } from './scan-json.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body that is small enough to be parsed in one step. Invalid UTF-8 is refused, and an empty body
 * counts as no body. JSON.parse creates own properties for names such as __proto__, so they stay data.
 */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return undefined
  const scanner = new JsonScanner()
  scanner.push(raw)
  refuseDepth(scanner)
  const text = decodeText(raw)
  const body = parseText(text)
  if (text.includes('\\u0000')) refuseNul(body)
  return body
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

export function decodeText(raw: Buffer, utf8 = decoder): string {
  try {
    return utf8.decode(raw)
  } catch {
    throw refusedBody('is not valid UTF-8')
  }
}

export function refuseDepth({ maxDepth }: JsonScanner): void {
  if (maxDepth > MAX_DEPTH) throw refusedBody(`is nested more than ${MAX_DEPTH} levels deep`)
}

export const refusedBody = (reason: string): Problem =>
  problems.validation([{ pointer: '', in: 'body', detail: `the body ${reason}` }])

export const notJson = () => refusedBody('is not valid JSON')

/** Refuses a value that contains NUL, because PostgreSQL cannot store that character. The problem names the field. */
export function refuseNul(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string' && value.includes('\0')) {
    const detail = `${path.join('.') || 'the body'} contains a NUL character`
    throw problems.validation([{ pointer: pointerTo(path), in: 'body', detail }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    refuseNul(key, path)
    refuseNul(child, [...path, key])
  }
}
