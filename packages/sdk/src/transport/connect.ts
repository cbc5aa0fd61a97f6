/**
 * The body of a request. A stream is sent as it comes, and can be sent once: such a request is never repeated.
 *
 * @stable
 */
export type RequestBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

/**
 * What a request is made of, as `fetch` takes it.
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
 * Sends one request: `fetch`, or something with its shape.
 *
 * @stable
 */
export type Connect = (url: string, init: ConnectInit) => Promise<Response>
