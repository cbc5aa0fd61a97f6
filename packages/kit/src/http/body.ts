import { Problem, problems } from '@storey/contract'
import type { FastifyInstance } from 'fastify'
import { pointerTo } from './pointer.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** For a route that asks what an object no longer tells: the order of its keys in the text. */
export type SeenText = (body: unknown, text: string) => void

/**
 * JSON bodies: strict UTF-8, and an empty body is no body, whatever its content type says.
 * JSON.parse makes own properties of names such as __proto__, so they stay data.
 */
export function parseJson(raw: Buffer, seen: SeenText = () => undefined): unknown {
  if (raw.length === 0) return undefined
  if (isDeep(raw)) throw refused(`is nested more than ${DEEPEST} levels deep`)
  const text = decode(raw)
  try {
    const body = JSON.parse(text)
    if (text.includes('\\u0000')) refuseNul(body)
    seen(body, text)
    return body
  } catch (err) {
    throw err instanceof Problem ? err : refused('is not valid JSON')
  }
}

/** No body means anything at such a depth, and what walks through one by recursion would fall over. */
const DEEPEST = 200
const [QUOTE, BACKSLASH] = [34, 92]

function isDeep(raw: Buffer): boolean {
  if (raw.length < 2 * DEEPEST) return false
  let depth = 0
  for (let i = 0; i < raw.length; i++) {
    const byte = raw[i]!
    if (byte === QUOTE) {
      for (i++; i < raw.length && raw[i] !== QUOTE; i++) if (raw[i] === BACKSLASH) i++
    } else if (byte === 91 || byte === 123) {
      if (++depth > DEEPEST) return true
    } else if (byte === 93 || byte === 125) depth--
  }
  return false
}

function decode(raw: Buffer): string {
  try {
    return decoder.decode(raw)
  } catch {
    throw refused('is not valid UTF-8')
  }
}

const refused = (reason: string) => problems.validation([{ pointer: '', in: 'body', detail: `the body ${reason}` }])

/** PostgreSQL keeps any character in a text but this one: the field that holds it is refused by its name. */
function refuseNul(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string' && value.includes('\0')) {
    const detail = `${path.join('.') || 'the body'} holds a NUL character`
    throw problems.validation([{ pointer: pointerTo(path), in: 'body', detail }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    refuseNul(key, path)
    refuseNul(child, [...path, key])
  }
}

/** A body of text: strict UTF-8, without its byte order mark. */
function parseText(raw: Buffer): string {
  const text = decode(raw)
  if (text.includes('\0')) throw refused('holds a NUL character')
  return text
}

export function acceptJson(app: Parsers, seen?: SeenText): void {
  app.removeAllContentTypeParsers()
  accept(app, 'application/json', (raw) => parseJson(raw, seen))
}

/** Bodies of text of one media type, in a scope that takes them besides JSON. */
export function acceptText(app: Parsers, mediaType: string): void {
  accept(app, mediaType, parseText)
}

/** Bodies as they are, in a scope whose routes read them by themselves. */
export function acceptBytes(app: Parsers, mediaType: string): void {
  app.removeAllContentTypeParsers()
  accept(app, mediaType, (raw) => raw)
}

type Parsers = Pick<FastifyInstance, 'addContentTypeParser' | 'removeAllContentTypeParsers'>

function accept(app: Parsers, mediaType: string, parse: (raw: Buffer) => unknown): void {
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseOtherEncodings(mediaType, request.headers['content-type'], request.headers['content-encoding'])
      done(null, parse(body as Buffer))
    } catch (err) {
      done(err as Error)
    }
  })
}

function refuseOtherEncodings(mediaType: string, type = '', encoding = 'identity'): void {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset) && encoding.toLowerCase() === 'identity') return
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${mediaType} in UTF-8, and not compressed`)
}
