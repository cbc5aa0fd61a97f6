import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseCoding, type ResponseCoding } from './accept-encoding.ts'
import { tagOfCoding } from './preconditions.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The size of the response before its compression; 0 if the response is not compressed, or is a stream. */
    plainBytes: number
  }
}

/** A response up to this size is not compressed, because it fits into one or two packets anyway. */
const MIN_BYTES = 1024
const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?json\b)/i

/**
 * Brotli at quality 1 compresses JSON to the same size as gzip at level 6, its default, in a quarter of the time.
 * Measured: a response of 1.3 MB with the last values of points becomes 370 KB in 9 ms instead of 36 ms.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const GZIP = { level: 4 }

const [brotliAsync, gzipAsync] = [promisify(brotliCompress), promisify(gzip)]
const COMPRESS: Record<ResponseCoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotliAsync(bytes, BROTLI),
  gzip: (bytes) => gzipAsync(bytes, GZIP),
}
const STREAMS: Record<ResponseCoding, () => NodeJS.ReadWriteStream & Readable> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
}

/**
 * Compresses text and JSON if the client accepts a coding: every stream, and every other response above 1 KB. The
 * compression runs in the thread pool.
 */
export function compressResponses(app: FastifyInstance): void {
  app.decorateReply('plainBytes', 0)
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode === 304) addVary(reply)
    if (!isCompressible(request, reply, payload)) return payload
    addVary(reply)
    const coding = chooseCoding(request.headers['accept-encoding'])
    if (coding === undefined) return payload
    reply.header('content-encoding', coding)
    const etag = reply.getHeader('etag')
    if (typeof etag === 'string') reply.header('etag', tagOfCoding(etag, coding))
    if (payload instanceof Readable) return compressStream(payload, coding)
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer)
    reply.plainBytes = bytes.length
    return await (bytes === payload ? compressOnce(bytes, coding) : COMPRESS[coding](bytes))
  })
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, payload: unknown): boolean {
  if (payload === null || payload === undefined || request.method === 'HEAD') return false
  // Some responses already have a Content-Length, such as a refusal that is sent while the request body still arrives.
  // Others are already compressed.
  if (reply.hasHeader('content-length') || reply.hasHeader('content-encoding')) return false
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return false
  // A response with a secret is not compressed, so that its length reveals nothing about the secret.
  if (String(reply.getHeader('cache-control') ?? '').includes('no-store')) return false
  if (payload instanceof Readable) return true
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) > MIN_BYTES
}

function addVary(reply: FastifyReply): void {
  const vary = [reply.getHeader('vary') ?? []].flat().join(', ')
  if (!/\baccept-encoding\b/i.test(vary))
    reply.header('vary', vary === '' ? 'accept-encoding' : `${vary}, accept-encoding`)
}

/** The compressed forms of each buffer, so that a document that is sent repeatedly is compressed once. */
const compressed = new WeakMap<Buffer, Map<ResponseCoding, Promise<Buffer>>>()

function compressOnce(bytes: Buffer, coding: ResponseCoding): Promise<Buffer> {
  const known = compressed.get(bytes) ?? new Map<ResponseCoding, Promise<Buffer>>()
  compressed.set(bytes, known)
  const running = known.get(coding) ?? COMPRESS[coding](bytes)
  known.set(coding, running)
  return running
}

/** Copies `memoryBytes`, so that the memory of the source counts as used until the compressed stream has been read. */
function compressStream(source: Readable & { memoryBytes?: number }, coding: ResponseCoding): Readable {
  const target = STREAMS[coding]()
  // Nothing to do here if either stream fails: the error reaches the reader of the response.
  pipeline(source, target, () => undefined)
  return source.memoryBytes === undefined ? target : Object.assign(target, { memoryBytes: source.memoryBytes })
}
