import type { Problem } from '@storey/contract'
import { type AuthorizationScheme, toProblem } from '@storey/kit/http'
import { type IngestForm, JSON_DOCUMENT, JSON_LINES, LINE_PROTOCOL } from './forms.ts'
import { influxProblem } from './influx-refusal.ts'
import type { Precision } from './read-epoch.ts'

/** An ingest request that `findIngest` recognizes by its target and content type. */
export interface PlainIngest {
  /** The template of the route. */
  route: string
  schemes: readonly AuthorizationScheme[]
  buildingId: string
  form: IngestForm
  /** Whether the response has a body, with the number of accepted observations. */
  answersCount: boolean
  /** Converts an error to the problem of the response. */
  problemOf(err: unknown): Problem
}

export const TELEMETRY_PATH = '/api/v1/buildings/:buildingId/telemetry'
export const OBSERVATIONS = 'observations'
/** The paths of InfluxDB 2 and 1. Clients are configured with `…/telemetry/influx` as the address of the server. */
export const INFLUX_PATHS = { 2: 'influx/api/v2/write', 1: 'influx/write' } as const
export const INFLUX_SCHEMES = ['Bearer', 'Token'] as const
export const NDJSON = 'application/x-ndjson'

const TARGET =
  /^\/api\/v1\/buildings\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/telemetry\/(observations|influx\/(?:api\/v2\/)?write)(?:\?([\w.&=-]*))?$/
/** Each parameter may occur once, in any order. The route ignores all of them except `precision`. */
const PARAMETER = /^(precision|bucket|org|db|rp)=([\w.-]+)$/
const PRECISIONS = new Map<string, Precision>([
  ...(['ns', 'us', 'ms', 's'] as const).map((name) => [name, name] as const),
  ...([
    ['n', 'ns'],
    ['u', 'us'],
  ] as const),
])
const UTF8 = /; ?charset=utf-8$/i
const TEXTS = new Set(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])
const BEARER = ['Bearer'] as const

/**
 * Recognizes an ingest request if its target and its content type are written in one of the most common ways. For all
 * other requests the result is undefined, even for those that the routes accept.
 */
export function findIngest(target: string, contentType: string): PlainIngest | undefined {
  const [, buildingId, path, query] = TARGET.exec(target) ?? []
  if (buildingId === undefined || path === undefined) return undefined
  const type = contentType.replace(UTF8, '').toLowerCase()
  const route = `${TELEMETRY_PATH}/${path}`
  if (path === OBSERVATIONS) {
    const form = type === 'application/json' ? JSON_DOCUMENT : type === NDJSON ? JSON_LINES : undefined
    if (query !== undefined || form === undefined) return undefined
    return { route, schemes: BEARER, buildingId, form, answersCount: true, problemOf: toProblem }
  }
  const precision = precisionOf(query)
  if (precision === undefined || !TEXTS.has(type)) return undefined
  const form = LINE_PROTOCOL[precision]
  return { route, schemes: INFLUX_SCHEMES, buildingId, form, answersCount: false, problemOf: influxProblem }
}

function precisionOf(query = ''): Precision | undefined {
  if (query === '') return 'ns'
  const seen = new Map<string, string>()
  for (const part of query.split('&')) {
    const [, name, value] = PARAMETER.exec(part) ?? []
    if (name === undefined || value === undefined || seen.has(name)) return undefined
    seen.set(name, value)
  }
  return PRECISIONS.get(seen.get('precision') ?? 'ns')
}
