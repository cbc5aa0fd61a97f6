import { Accepted, BuildingParams, NoQuery, PlainObservations } from '@storey/contract'
import { BODIES, type BodyRule, type HttpApp } from '@storey/kit/http'
import type { Ingest } from '../../telemetry/ingest/ingest.ts'

/** The body is taken as bytes, and read by a scanner that knows what to expect. */
const body: BodyRule = { ...BODIES.bulk, types: { 'application/json': 'bytes' } }
/** Any token of the tenant that may reach the building. */
const config = { access: 'tenant', describedBody: PlainObservations, body }

export function ingestRoutes(app: HttpApp, ingest: Ingest): void {
  const schema = {
    tags: ['Telemetry'],
    summary: 'Take observations, all or none',
    description:
      'Answered when they are stored. Every point must exist. A number goes to the history and becomes the last value; any other text becomes the last value. The same point and timestamp again replaces what was there.',
    params: BuildingParams,
    querystring: NoQuery,
    response: { 202: Accepted },
  }
  app.post<{ Params: { buildingId: string }; Body: Buffer | undefined }>(
    '/api/v1/buildings/:buildingId/telemetry/observations',
    { config, schema },
    async (request, reply) => {
      const accepted = await ingest(request.params.buildingId, request.body ?? Buffer.alloc(0))
      reply.code(202)
      return { accepted }
    },
  )
}
