import { call } from '../acceptance/system/call.ts'
import type { IntendedRequest } from '../packages/provisioning/src/testing/traffic/read-requests.ts'
import type { Party } from './ingest-traffic.ts'

export interface Sent {
  pointId: string
  atMs: number
  value: string
}

/** The observations that a sandbox has acknowledged. Each has a time of its own. */
export class Acknowledged {
  /** The values by point and time. */
  readonly #values = new Map<string, Set<string>>()

  add(observations: readonly Sent[]): void {
    for (const { pointId, atMs, value } of observations) {
      const key = `${pointId} ${atMs}`
      this.#values.set(key, (this.#values.get(key) ?? new Set()).add(value))
    }
  }

  get count(): number {
    return this.#values.size
  }

  /** The observations that are stored and were not acknowledged, or the other way round. */
  differences(stored: readonly Sent[]): string[] {
    const missing = new Set(this.#values.keys())
    const found: string[] = []
    for (const { pointId, atMs, value } of stored) {
      const key = `${pointId} ${atMs}`
      missing.delete(key)
      if (!this.#values.get(key)?.has(value)) found.push(`${key} ${value} is stored, but was not acknowledged`)
    }
    return [...found, ...Array.from(missing, (key) => `${key} was acknowledged, but is not stored`)]
  }
}

/** The observations in the body of a request: JSON, NDJSON, or line protocol in milliseconds. None if it is invalid. */
export function observationsIn({ body, target }: Pick<IntendedRequest, 'body' | 'target'>): Sent[] {
  if (target.includes('/influx/')) {
    return body.split('\n').flatMap((line) => {
      const [, pointId, value, at] = /^(\S+) value=(\S+) (\d+)$/.exec(line.trim()) ?? []
      return at === undefined ? [] : [{ pointId: pointId!, value: value!, atMs: Number(at) }]
    })
  }
  return documentsIn(body)
    .flatMap((document) => document.observations ?? [document])
    .map(({ pointId, value, timestamp }) => ({ pointId, value, atMs: Date.parse(timestamp) }))
}

type Observation = Record<'pointId' | 'value' | 'timestamp', string>

function documentsIn(body: string): ({ observations?: Observation[] } & Observation)[] {
  try {
    return [JSON.parse(body)]
  } catch {
    return body.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
  }
}

const DAY_MS = 86_400_000
const PAGE = 10_000

/** All observations of a sandbox, of whatever point and time. */
export async function readStored(apiUrl: string, { token, buildingId }: Party): Promise<Sent[]> {
  const telemetry = `${apiUrl}/api/v1/buildings/${buildingId}/telemetry`
  const get = async (path: string) => {
    const { status, json, text } = await call(`${telemetry}/${path}`, { token })
    if (status !== 200) throw new Error(`${path} could not be read: ${text}`)
    return json
  }
  const stored: Sent[] = []
  const to = new Date(Date.now() + 2 * DAY_MS).toISOString()
  for (const { pointId } of (await get('latest')).data) {
    for (let from: string | null = '0001-01-01T00:00:00Z'; from !== null; ) {
      const page = await get(`observations?pointId=${pointId}&limit=${PAGE}&from=${from}&to=${to}`)
      for (const { timestamp, value } of page.data) stored.push({ pointId, value, atMs: Date.parse(timestamp) })
      from = page.nextFrom
    }
  }
  return stored
}
