/**
 * The body of a request. A stream can be sent only once, so a request with a stream is never repeated.
 *
 * @stable
 */
export type RequestBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

/**
 * The options of a request, like those of `fetch`.
 *
 * @stable
 */
export interface ConnectInit {
  method: string
  headers: Record<string, string>
  body?: RequestBody
  signal?: AbortSignal
  redirect?: 'manual'
  duplex?: 'half'
}

/**
 * Sends one request: `fetch`, or a function with the same signature.
 *
 * @stable
 */
export type Connect = (url: string, init: ConnectInit) => Promise<Response>
