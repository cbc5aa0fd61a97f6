import { problems } from '@storey/contract'
import type { Admission, Admitted } from '@storey/kit/admission'
import { BODIES, type BodyForm, type BodyRule, type HttpApp, type HttpOptions } from '@storey/kit/http'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null
  }
}

/** How many bytes of memory a byte of the body takes while the request is worked on. */
const BYTES_PER_BODY_BYTE: Record<BodyForm, number> = {
  // The bytes as they come, in one piece, and the objects that are made of them.
  json: 8,
  text: 6,
  bytes: 3,
  // Passed on as they come.
  stream: 0,
}
/** Rows of the database, objects, and the text of an answer stand side by side. */
const BYTES_PER_ANSWER_BYTE = 3
/** A request, whatever it asks for. */
const LEAST_BYTES = 16 * 1024
/** A stream has no more than this in memory. */
const STREAM_BYTES = 512 * 1024

/**
 * Lets requests in as there is memory for them: until then nothing of the body is read, so that the client, through the
 * gateway, cannot send on. What an answer takes is expected from the last ones of its route.
 */
export function admitRequests(app: HttpApp, admission: Admission): void {
  const answers = new Map<string, number>()
  app.decorateRequest('admitted', null)

  app.addHook('preParsing', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === undefined || access === 'public') return
    const expected = answers.get(routeOf(request)) ?? 0
    const bytes = LEAST_BYTES + bodyBytes(request) + BYTES_PER_ANSWER_BYTE * expected
    const gone = new AbortController()
    const onClose = () => gone.abort(problems.notReady('The client left', 1))
    reply.raw.once('close', onClose)
    const admitted = await admission.enter(bytes, gone.signal)
    reply.raw.off('close', onClose)
    if (reply.raw.destroyed) return admitted.leave()
    request.admitted = admitted
    reply.raw.once('close', admitted.leave)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.admitted === null) return
    const size = sizeOf(payload)
    if (reply.statusCode < 300) {
      const route = routeOf(request)
      // One large answer among small ones is remembered for a while.
      answers.set(route, Math.max(size, Math.floor((answers.get(route) ?? 0) * 0.9)))
    }
    // What is left is what a slow reader keeps waiting.
    request.admitted.resize(LEAST_BYTES + size)
  })
}

type Request = Parameters<HttpOptions['authorize']>[0]

const routeOf = ({ method, routeOptions }: Request) => `${method} ${routeOptions.url}`

function bodyBytes({ headers, mediaType, routeOptions }: Request): number {
  const { types, maxBytes }: BodyRule = routeOptions.config.body ?? BODIES.none
  // Whoever does not say how long the body is may send the most.
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : maxBytes
  return Math.min(length, maxBytes) * BYTES_PER_BODY_BYTE[types[mediaType ?? ''] ?? 'json']
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return payload === undefined || payload === null ? 0 : STREAM_BYTES
}
