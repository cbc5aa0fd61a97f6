import type { IncomingMessage } from 'node:http'
import { type FieldError, Problem, problems } from '@storey/contract'

/** The framing of a request body in canonical form: a stack gets only these framing headers. */
export type Framing = { 'content-length': string } | { 'transfer-encoding': 'chunked' } | Record<never, never>

export interface Head {
  /** The host in the request target or, if the target is only a path, in the Host header. */
  host: string | undefined
  framing: Framing
}

const MAX_HEADERS = 200
/** A path and a query. A target has no fragment, space or control character (RFC 9112, 3.2). */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * Reads the host and the framing of a request, and refuses everything that two parsers could read differently. Node's
 * parser refuses most of it already; nothing here relies on that.
 */
export function readHead(request: IncomingMessage): Head {
  const { rawHeaders, httpVersion } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw refused('', 'the request is not HTTP/1.1 or HTTP/1.0')
  if (rawHeaders.length / 2 > MAX_HEADERS) {
    throw new Problem('HEADERS_TOO_LARGE', `The request has more than ${MAX_HEADERS} headers`)
  }
  return { framing: framingOf(request), host: hostOf(request) }
}

function framingOf(request: IncomingMessage): Framing {
  const lengths = valuesOf(request, 'content-length')
  const encodings = valuesOf(request, 'transfer-encoding')
  if (encodings.length > 0) {
    if (lengths.length > 0) throw refused('content-length', 'content-length and transfer-encoding exclude each other')
    const isChunked = encodings.length === 1 && encodings[0]!.toLowerCase() === 'chunked'
    if (!isChunked || request.httpVersion !== '1.1') {
      throw refused('transfer-encoding', 'transfer-encoding must be chunked, once, in HTTP/1.1')
    }
    return { 'transfer-encoding': 'chunked' }
  }
  if (lengths.length === 0) return {}
  if (lengths.length > 1 || !/^\d{1,15}$/.test(lengths[0]!)) {
    throw refused('content-length', 'content-length must be one number')
  }
  return { 'content-length': String(Number(lengths[0])) }
}

/**
 * A target in absolute form overrides the Host header (RFC 9112, 3.2.2); its path replaces `request.url`. HTTP/1.1
 * requires exactly one Host header.
 */
function hostOf(request: IncomingMessage): string | undefined {
  const hosts = valuesOf(request, 'host')
  const isMissing = hosts.length === 0 && request.httpVersion === '1.1'
  if (hosts.length > 1 || isMissing) throw refused('host', 'host must be present exactly once')
  const url = request.url ?? ''
  // `OPTIONS *` is about the server as a whole (RFC 9112, 3.2.4).
  if (PATH.test(url) || (url === '*' && request.method === 'OPTIONS')) return hosts[0]
  if (!/^https?:\/\/[\x21\x22\x24-\x7e]+$/i.test(url) || !URL.canParse(url)) throw badTarget()
  const { host, pathname, search, username, password } = new URL(url)
  if (username !== '' || password !== '' || !PATH.test(pathname + search)) throw badTarget()
  request.url = pathname + search
  request.headers.host = host
  return host
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name)
}

/** An upgrade is an HTTP/1.1 GET without a body: the bytes after its head belong to the new protocol. */
export function readUpgradeHead(request: IncomingMessage): Head {
  const head = readHead(request)
  const isPlain = request.method === 'GET' && request.httpVersion === '1.1' && Object.keys(head.framing).length === 0
  if (!isPlain) throw UPGRADE_WITH_BODY
  return head
}

const refused = (header: string, detail: string, place: FieldError['in'] = 'header') =>
  problems.validation([{ pointer: header === '' ? '' : `/${header}`, in: place, detail }])
const BAD_TARGET = 'the request target is neither a path nor an http or https URL without credentials and fragment'
const badTarget = () => refused('', BAD_TARGET, 'path')

export const UPGRADE_WITH_BODY = refused('upgrade', 'an upgrade must be a GET without a body')
