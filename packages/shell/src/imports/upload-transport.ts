import type { ClientOptions } from '@storey/sdk'

type Transport = NonNullable<ClientOptions['fetch']>

/** `Response` throws if a response with one of these statuses has a body, even an empty one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Sends requests with XMLHttpRequest, because `fetch` does not report how much of a body was sent. `onProgress` gets
 * the share of the body that was sent, from 0 to 1.
 */
export const uploadTransport =
  (onProgress: (share: number) => void): Transport =>
  (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
      request.addEventListener('load', () => {
        const { status, statusText, responseText } = request
        const content = WITHOUT_BODY.has(status) ? null : responseText
        resolve(new Response(content, { status, statusText, headers: headersOf(request) }))
      })
      request.addEventListener('error', () => reject(new TypeError('the connection was lost')))
      const abort = () => {
        request.abort()
        reject(signal?.reason)
      }
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      // No request of this page has a stream as its body.
      request.send((body as Exclude<typeof body, ReadableStream>) ?? null)
    })

function headersOf(request: XMLHttpRequest): [string, string][] {
  return request
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}
