import {
  Accepted,
  BuildingParams,
  LineProtocol,
  LineProtocolQuery,
  NoQuery,
  ObservationLines,
  PlainObservations,
} from '@storey/contract'
import { BODIES, type BodyRule, type HttpApp, releaseBuffer, whileConnected } from '@storey/kit/http'
import Type from 'typebox'
import { isInternal } from '../../caller.ts'
import type { FoldingCapacity } from './compaction/compaction.ts'
import { arrivalOf } from './ingest/arrival-of.ts'
import { INFLUX_PATHS, INFLUX_SCHEMES, NDJSON, OBSERVATIONS, TELEMETRY_PATH } from './ingest/find-ingest.ts'
import { type IngestForm, JSON_DOCUMENT, JSON_LINES, LINE_PROTOCOL } from './ingest/forms.ts'
import { influxRefusal } from './ingest/influx-refusal.ts'
import type { Ingest } from './ingest/ingest.ts'
import type { Precision } from './ingest/read-epoch.ts'
import { shortRefusal } from './ingest/short-refusal.ts'

/** Any token of the tenant is accepted if the building is in the scope of the token. */
const config = { access: 'tenant', problems: ['UNKNOWN_POINTS'] } as const
const bulk = { ...BODIES.bulk, codings: ['gzip', 'zstd'] } as const satisfies BodyRule
const json: BodyRule = { ...bulk, types: { 'application/json': 'bytes', [NDJSON]: 'bytes' } }
const text: BodyRule = {
  ...bulk,
  // Most clients of InfluxDB send the first type, curl sends the second by default, and some clients send none.
  types: {
    'text/plain': 'bytes',
    'application/x-www-form-urlencoded': 'bytes',
    'application/octet-stream': 'bytes',
    '': 'bytes',
  },
}
const tags = ['Telemetry']
const RULES =
  'Stores all observations or none, and responds when they are stored. Every point must exist. Only numbers are added to the history. The value with the latest timestamp is the last value of its point. An observation that was stored before with the same point and timestamp is replaced. The body may be compressed; its limit applies to the decompressed size.'

interface Route {
  Params: { buildingId: string }
  Body: Buffer | undefined
}

export function ingestRoutes(app: HttpApp, ingest: Ingest, foldingCapacity: FoldingCapacity): void {
  // A request waits here until folding has capacity. Its body is read afterwards, so a waiting request takes no memory
  // for its body.
  const onRequest = async (_request: unknown, reply: { raw: NodeJS.EventEmitter }) => {
    if (!foldingCapacity.isFree()) await whileConnected(reply, foldingCapacity.wait)
  }

  async function ingestAndRelease(
    buildingId: string,
    body: Buffer = Buffer.alloc(0),
    form: IngestForm,
    arrivedAt?: Date,
  ): Promise<number> {
    try {
      return await ingest(buildingId, body, form, arrivedAt)
    } finally {
      releaseBuffer(body)
    }
  }

  app.post<Route>(
    `${TELEMETRY_PATH}/${OBSERVATIONS}`,
    {
      config: {
        ...config,
        body: json,
        describedBody: {
          content: { 'application/json': { schema: PlainObservations }, [NDJSON]: { schema: ObservationLines } },
        },
      },
      schema: {
        tags,
        summary: 'Ingest observations',
        description: `${RULES} The body is JSON, or NDJSON with an observation on each line.`,
        params: BuildingParams,
        querystring: NoQuery,
        response: { 202: Accepted },
      },
      onRequest,
    },
    async (request, reply) => {
      const form = request.mediaType === NDJSON ? JSON_LINES : JSON_DOCUMENT
      const taken = ingestAndRelease(request.params.buildingId, request.body, form, arrivalOf(request))
      const accepted = await (isInternal(request) ? taken.catch(shortRefusal) : taken)
      reply.code(202)
      return { accepted }
    },
  )

  for (const version of [2, 1] as const) {
    app.post<Route & { Querystring: LineProtocolQuery }>(
      `${TELEMETRY_PATH}/${INFLUX_PATHS[version]}`,
      {
        config: {
          ...config,
          authorization: INFLUX_SCHEMES,
          body: text,
          describedBody: { content: { 'text/plain': { schema: LineProtocol } } },
        },
        schema: {
          tags,
          summary: `Ingest line protocol, at the address of InfluxDB ${version}`,
          description:
            `${RULES} Telegraf and other clients of InfluxDB can use this address. ` +
            '`Authorization` may also be `Token <token>`.',
          params: BuildingParams,
          querystring: LineProtocolQuery,
          response: { 204: Type.Null() },
        },
        onRequest,
        errorHandler: influxRefusal,
      },
      async (request, reply) => {
        const form = LINE_PROTOCOL[precisionOf(request.query)]
        await ingestAndRelease(request.params.buildingId, request.body, form)
        return reply.code(204).send(null)
      },
    )
  }
}

function precisionOf({ precision = 'ns' }: LineProtocolQuery): Precision {
  if (precision === 'n') return 'ns'
  return precision === 'u' ? 'us' : precision
}
