import type { IncomingMessage } from 'node:http'
import { Problem, problems } from '@storey/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { freeBuffer } from '../free-buffer.ts'
import { announcesBody, BODIES, type BodyCoding, type BodyRule, sizeInWords } from './body-rule.ts'
import { ByteCollector } from './byte-collector.ts'
import { decompress, expectedBytes, readCoding } from './decompress-body.ts'
import { sendContinue } from './expect-continue.ts'
import { decodeText, parseJson, refuseDepth, refusedBody } from './parse-json.ts'
import { parseSlices } from './parse-slices.ts'
import { pointerTo } from './pointer.ts'
import { JsonScanner } from './scan-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Waits until there is memory for a body of this size, which is larger than expected. Null if the request does not
     * wait for memory.
     */
    admitBody: ((bytes: number) => Promise<void>) | null
  }
}

/** A body up to this size is parsed in one step, because that takes only a few milliseconds, whatever its content. */
const AT_ONCE_BYTES = 128 * 1024

const ruleOf = (request: FastifyRequest): BodyRule => request.routeOptions.config.body ?? BODIES.none

/** Refuses a body that its route does not accept, by its headers and without reading it. */
export function refuseUnread(request: FastifyRequest): void {
  const { headers } = request.raw
  const rule = ruleOf(request)
  if (!announcesBody(request.raw)) {
    // Some clients send a content type although they send no body. A type that the route does not accept is ignored.
    if (!Object.hasOwn(rule.types, request.mediaType ?? '')) delete headers['content-type']
    return
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const mayBeEmpty = rule === BODIES.none && headers['content-length'] === undefined
  if (!isRead && !mayBeEmpty) refuseType(request, rule)
  refuseLength(request, rule)
}

function refuseLength({ headers }: FastifyRequest, rule: BodyRule): void {
  if (Number(headers['content-length'] ?? 0) > rule.maxBytes) throw tooLong(rule)
}

const IGNORING_BODIES = ['GET', 'HEAD', 'OPTIONS']

/**
 * The body of a GET, HEAD or OPTIONS has no meaning. It is read and discarded here, or refused if it is above the limit
 * of routes without a body. If the response were sent before the rest of the body has arrived, it could be lost: the
 * connection would be closed, and the system resets a closed connection on which more data arrives.
 */
export async function discardBody(request: FastifyRequest): Promise<void> {
  if (!IGNORING_BODIES.includes(request.method) || !announcesBody(request.raw)) return
  refuseLength(request, BODIES.none)
  await collect(request.raw, BODIES.none)
}

/** Reads every body, by the rule of its route. */
export function readBodies(app: FastifyInstance): void {
  app.decorateRequest('admitBody', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => readBody(request, payload))
}

async function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const rule = ruleOf(request)
  const form = rule.types[request.mediaType ?? '']
  if (form === 'stream') {
    sendContinue(payload)
    return payload
  }
  const scanner = form === 'json' ? new JsonScanner() : undefined
  const coding = readCoding(request.headers)
  // The route releases the pooled buffer.
  if (form === 'bytes' && coding === undefined) return await collect(payload, rule, { isPooled: true })
  const raw = await collect(payload, rule, scanner ? { scanner } : {})
  if (form === 'bytes') return await decompressed(request, raw, coding as BodyCoding)
  if (form === 'text') return textOf(raw)
  if (raw.length === 0) return undefined
  // The media type of a body of unknown length was not checked before, because an empty body may have any type.
  if (rule === BODIES.none) refuseType(request, rule)
  const body = raw.length <= AT_ONCE_BYTES ? parseJson(raw) : await parseSlices(raw)
  if (rule === BODIES.none) refuseFields(body)
  rule.seen?.(body, raw)
  return body
}

/** Decompresses a body. If the result is larger than expected, waits for memory and decompresses the body again. */
async function decompressed(request: FastifyRequest, raw: Buffer, coding: BodyCoding): Promise<Buffer> {
  const rule = ruleOf(request)
  const expected = expectedBytes(request.headers, rule)
  const body = await decompress(raw, coding, expected)
  if (body !== undefined) return body
  if (expected >= rule.maxBytes) throw tooLong(rule, 'decompressed body')
  await request.admitBody?.(rule.maxBytes)
  const whole = await decompress(raw, coding, rule.maxBytes)
  if (whole === undefined) throw tooLong(rule, 'decompressed body')
  return whole
}

/**
 * Reads the bytes of a body. Refuses the body as soon as it has too many bytes or, with a scanner, too many values or
 * levels.
 */
function collect(
  payload: IncomingMessage,
  rule: BodyRule,
  { scanner, isPooled = false }: { scanner?: JsonScanner; isPooled?: boolean } = {},
): Promise<Buffer> {
  sendContinue(payload)
  const announced = Number(payload.headers['content-length'] ?? 0)
  const pooled = isPooled && announced > 0 && announced <= rule.maxBytes ? new ByteCollector(announced) : undefined
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = () => payload.off('data', take).off('end', end).off('error', fail).off('close', left)
    const fail = (err: Error) => {
      stop()
      payload.pause()
      pooled?.drop()
      reject(err)
    }
    const left = () => fail(Object.assign(new Error('the client disconnected'), { code: 'ECONNRESET' }))
    const end = () => {
      stop()
      resolve(pooled?.take() ?? Buffer.concat(chunks, length))
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > rule.maxBytes) return fail(tooLong(rule))
      if (pooled) {
        pooled.add(chunk)
        freeBuffer(chunk)
      } else chunks.push(chunk)
      if (scanner === undefined) return
      scanner.push(chunk)
      try {
        refuseDepth(scanner)
        if (scanner.values > rule.maxValues) throw tooManyValues(rule)
      } catch (err) {
        fail(err as Error)
      }
    }
    payload.on('data', take).on('end', end).on('error', fail).on('close', left)
  })
}

/** Decodes a text body. Invalid UTF-8 and NUL characters are refused, and a byte order mark is removed. */
function textOf(raw: Buffer): string {
  const text = decodeText(raw)
  if (text.includes('\0')) throw refusedBody('contains a NUL character')
  return text
}

const tooLong = ({ maxBytes }: BodyRule, what = 'body') =>
  new Problem('BODY_TOO_LARGE', `The ${what} is larger than ${sizeInWords(maxBytes)}, the limit of this route`)

function tooManyValues({ maxValues, tooManyValues: thrown }: BodyRule): Error {
  return thrown?.(maxValues) ?? refusedBody(`contains more than ${maxValues} values, the limit of this route`)
}

function refuseType({ mediaType, headers }: FastifyRequest, { types, codings = [] }: BodyRule): void {
  const type = mediaType ?? ''
  if (!Object.hasOwn(types, type)) throw unsupported(Object.keys(types).filter(Boolean).join(' or '))
  const coding = readCoding(headers)
  const isAccepted = coding === undefined || codings.some((accepted) => accepted === coding)
  if (!isAccepted && codings.length > 0) throw unknownCoding(codings)
  if (types[type] === 'stream') {
    if (!isAccepted) throw unsupported(`${type}, and not compressed`)
    return
  }
  const charset = /;\s*charset="?([^";\s]{1,40})/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const isUtf8 = /^utf-?8$/i.test(charset)
  if (!isUtf8 && codings.length > 0) throw unsupported(`${type} in UTF-8`)
  if (!isUtf8 || !isAccepted) throw unsupported(`${type} in UTF-8, and not compressed`)
}

const unsupported = (wanted: string) => new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${wanted}`)

function unknownCoding(codings: readonly BodyCoding[]): Problem {
  const detail = `Content-Encoding must be ${codings.join(', ')} or absent`
  const errors = [{ pointer: '/content-encoding', in: 'header', detail }]
  const headers = { 'accept-encoding': codings.join(', ') }
  return new Problem('UNSUPPORTED_MEDIA_TYPE', detail, { members: { errors, validValues: codings }, headers })
}

/**
 * Refuses a body on a route that accepts none, unless the body is null or has no members. If the body is an object, the
 * problem names its first field.
 */
function refuseFields(body: unknown): void {
  const reason = 'this call accepts no body'
  if (typeof body !== 'object' || (Array.isArray(body) && body.length > 0)) {
    throw problems.validation([{ pointer: '', in: 'body', detail: reason }])
  }
  const [first] = Object.keys(body ?? {})
  if (first === undefined) return
  const name = first.slice(0, 100)
  const detail = `${name} is not a known field: ${reason}`
  throw problems.validation([{ pointer: pointerTo([name]), in: 'body', detail }])
}
