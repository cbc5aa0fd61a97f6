import { Accepted, BuildingParams, NoQuery, PlainObservations, problems } from '@storey/contract'
import { BODIES, type BodyRule, type HttpApp } from '@storey/kit/http'
import { isInternal } from '../../caller.ts'
import type { Ingest } from './ingest/ingest.ts'
import { shortRefusal } from './ingest/short-refusal.ts'

/** The body is received as bytes and parsed by a scanner for this schema. */
const body: BodyRule = { ...BODIES.bulk, types: { 'application/json': 'bytes' } }
/** Any token of the tenant with the building in its scope. */
const config = { access: 'tenant', describedBody: PlainObservations, body, problems: ['UNKNOWN_POINTS'] } as const

export function ingestRoutes(
  app: HttpApp,
  ingest: Ingest,
  waitForCapacity: (signal: AbortSignal) => Promise<void>,
): void {
  const schema = {
    tags: ['Telemetry'],
    summary: 'Ingest observations',
    description:
      'Stores all observations or none, and responds when they are stored. Every point must exist. A number is added to the history and becomes the last value; any other text only becomes the last value. An observation with the same point and timestamp is replaced.',
    params: BuildingParams,
    querystring: NoQuery,
    response: { 202: Accepted },
  }
  app.post<{ Params: { buildingId: string }; Body: Buffer | undefined }>(
    '/api/v1/buildings/:buildingId/telemetry/observations',
    {
      config,
      schema,
      // Before the body is read: the client waits, and memory is not filled.
      onRequest: async (_request, reply) => {
        const disconnected = new AbortController()
        const onClose = () => disconnected.abort(problems.notReady('The client disconnected', 1))
        reply.raw.once('close', onClose)
        await waitForCapacity(disconnected.signal)
        reply.raw.off('close', onClose)
      },
    },
    async (request, reply) => {
      const taken = ingest(request.params.buildingId, request.body ?? Buffer.alloc(0))
      const accepted = await (isInternal(request) ? taken.catch(shortRefusal) : taken)
      reply.code(202)
      return { accepted }
    },
  )
}
