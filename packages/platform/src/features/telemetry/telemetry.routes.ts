import {
  AggregatedHistory,
  BuildingParams,
  LatestValues,
  NoQuery,
  ObservationQuery,
  RawHistory,
  SeriesQuery,
  SeriesTable,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { noteUsed } from '@storey/kit/collect-garbage'
import type { Database } from '@storey/kit/database'
import type { HttpApp } from '@storey/kit/http'
import Type, { type TSchema } from 'typebox'
import { createLatest } from './series/latest.ts'
import { querySeries } from './series/query-series.ts'
import { readObservations } from './series/read-observations.ts'
import { streamLatest } from './series/stream-latest.ts'

/** Accepts the tokens of the tenant, if their scope has the building. */
const config = { access: 'tenant' }
const tags = ['Telemetry']
/** Typed only as `TSchema`, because the handler sends JSON bytes instead of an object of this type. */
const History: TSchema = Type.Union([RawHistory, AggregatedHistory])
const path = '/api/v1/buildings/:buildingId/telemetry'

/** Throws when the client has disconnected, or was answered that the request took too long. */
function checkClientWaits(reply: { raw: { destroyed: boolean }; sent: boolean }): void {
  if (reply.raw.destroyed || reply.sent)
    throw Object.assign(new Error('the client has disconnected'), { code: 'ECONNRESET' })
}

export function telemetryRoutes(app: HttpApp, db: Database, clock: Clock): void {
  const latest = createLatest(db)
  app.get(
    `${path}/observations`,
    {
      config,
      schema: {
        tags,
        summary: 'Read the history of a point, raw or by intervals',
        description:
          'Returns numbers only. Texts have no history: a text is kept only while it is the last value of its point.',
        params: BuildingParams,
        querystring: ObservationQuery,
        response: { 200: History },
      },
    },
    async (request, reply) => {
      const check = () => checkClientWaits(reply)
      const json = await readObservations({ db, clock, check }, request.params.buildingId, request.query)
      noteUsed(json.length)
      return reply.type('application/json; charset=utf-8').send(json)
    },
  )

  app.post(
    `${path}/query`,
    {
      config: { ...config, grows: false, problems: ['UNKNOWN_POINTS'] },
      schema: {
        tags,
        summary: 'Read the series of many points by intervals',
        description:
          'Returns a table: the start of each interval of the range, and a value for each interval and point, null ' +
          'where there is none. The values are the same as in a read of a single point. The table suits charts and ' +
          'replays of a whole storey.',
        params: BuildingParams,
        querystring: NoQuery,
        body: SeriesQuery,
        response: { 200: SeriesTable as TSchema },
      },
    },
    async (request, reply) => {
      const admit = async (bytes: number) => request.waitForMemory?.(bytes)
      const check = () => checkClientWaits(reply)
      const table = await querySeries({ db, clock, admit, check }, request.params.buildingId, request.body)
      return reply.type('application/json; charset=utf-8').send(table)
    },
  )

  app.get(
    `${path}/latest`,
    {
      config,
      schema: {
        tags,
        summary: 'Read the last value of every point of the building',
        description: 'Returns the last value of each point that has one, a number or a text, and when it was observed.',
        params: BuildingParams,
        querystring: NoQuery,
        response: { 200: LatestValues as TSchema },
      },
    },
    async (request, reply) => {
      const asOf = clock.now()
      const { buildingId } = request.params
      const body = await latest.body(buildingId)
      reply.type('application/json; charset=utf-8')
      if (body === undefined) return reply.send(streamLatest(db, buildingId, asOf))
      const { bytes, release } = body.use(asOf)
      if (reply.raw.destroyed) release()
      else reply.raw.once('close', release)
      return reply.send(bytes)
    },
  )
}
