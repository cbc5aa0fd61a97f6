import type { Admission, Admitted } from '@storey/kit/admission'
import {
  BODIES,
  type BodyForm,
  type BodyRule,
  expectedBytes,
  type HttpApp,
  type HttpOptions,
  whileConnected,
} from '@storey/kit/http'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null
    /** Releases the memory that the request has reserved, and waits until there is memory for this many bytes. */
    waitForMemory: ((bytes: number) => Promise<void>) | null
  }
}

/** How many bytes of memory a byte of the body takes while the request is processed. */
const BYTES_PER_BODY_BYTE: Record<BodyForm, number> = {
  // The chunks, the joined buffer, and the parsed objects.
  json: 8,
  text: 6,
  bytes: 3,
  // Chunks are passed on immediately.
  stream: 0,
}
/** Database rows, objects, and the text of the response are in memory at the same time. */
const BYTES_PER_RESPONSE_BYTE = 3
/** Every request takes at least this much. */
const MIN_BYTES = 16 * 1024
/** The maximum memory of a stream. */
const STREAM_BYTES = 512 * 1024

/** The memory that a request with a body of this form and length takes. */
export const bodyMemory = (form: BodyForm, bytes: number): number => MIN_BYTES + BYTES_PER_BODY_BYTE[form] * bytes

/**
 * Admits requests when there is memory for them. Until then the body is not read, so that backpressure, also through
 * the gateway, stops the client. Requests to public routes are not limited. Callers take turns, and several requests of
 * one caller together cannot use all of the memory. The size of a response is estimated from the latest responses of
 * its route.
 */
export function admitRequests(app: HttpApp, admission: Admission, callerOf: (request: Request) => string): void {
  const responseSizes = new Map<string, number>()
  app.decorateRequest('admitted', null)
  app.decorateRequest('waitForMemory', null)

  /** Waits for memory, as long as the client is connected. */
  async function admit(request: Request, reply: Reply, bytes: number): Promise<void> {
    const caller = callerOf(request)
    const admitted =
      admission.enterNow(bytes, caller) ??
      (await whileConnected(reply, (signal) => admission.enter(bytes, { caller, signal })))
    if (reply.raw.destroyed) return admitted.leave()
    request.admitted = admitted
    reply.raw.once('close', admitted.leave)
  }

  app.addHook('preParsing', async (request, reply) => {
    const { access, body: rule } = request.routeOptions.config
    const body: BodyRule = rule ?? BODIES.none
    if (access === undefined || access === 'public') return
    const response = BYTES_PER_RESPONSE_BYTE * (responseSizes.get(routeOf(request)) ?? 0)
    const bytesOf = (bodyBytes: number) =>
      BYTES_PER_BODY_BYTE[body.types[request.mediaType ?? ''] ?? 'json'] * bodyBytes + response
    await admit(request, reply, MIN_BYTES + bytesOf(expectedBytes(request.headers, body)))
    const waitForMemory = async (bytes: number) => {
      request.admitted?.leave()
      await admit(request, reply, MIN_BYTES + bytes)
    }
    request.waitForMemory = waitForMemory
    // If a body is larger after decompression than expected, its request waits again, with only the compressed bytes in
    // memory.
    request.admitBody = (bytes) => waitForMemory(bytesOf(bytes))
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.admitted === null) return
    // The rows and the text are in memory, so the size of the response before its compression counts.
    const size = reply.plainBytes || sizeOf(payload)
    if (reply.statusCode < 300) {
      const route = routeOf(request)
      // After a large response, each smaller one decreases the estimate by at most a tenth.
      responseSizes.set(route, Math.max(size, Math.floor((responseSizes.get(route) ?? 0) * 0.9)))
    }
    // From here on only the response is in memory, until the client has read it.
    request.admitted.resize(MIN_BYTES + ((payload as { memoryBytes?: number } | null)?.memoryBytes ?? size))
  })
}

type Request = Parameters<HttpOptions['authorize']>[0]
type Reply = Parameters<NonNullable<HttpOptions['onSignedIn']>>[1]

const routeOf = ({ method, routeOptions }: Request) => `${method} ${routeOptions.url}`

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return payload === undefined || payload === null ? 0 : STREAM_BYTES
}
