import type { IncomingMessage } from 'node:http'
import { problems } from '@storey/contract'

/**
 * The host a request is for, and its path in `request.url`. A target in absolute form names the host itself, whatever
 * the header says (RFC 9112, 3.2.2). HTTP/1.1 wants one Host header, no more and no less.
 */
export function hostOf(request: IncomingMessage): string | undefined {
  const hosts = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  const isMissing = hosts === 0 && request.httpVersion === '1.1'
  if (hosts > 1 || isMissing)
    throw problems.validation([{ pointer: '/host', in: 'header', detail: 'host must be there once' }])
  const url = request.url ?? ''
  if (!/^https?:\/\//i.test(url)) return request.headers.host
  if (!URL.canParse(url))
    throw problems.validation([{ pointer: '', in: 'path', detail: 'the target is not an address' }])
  const { host, pathname, search } = new URL(url)
  request.url = pathname + search
  request.headers.host = host
  return host
}
