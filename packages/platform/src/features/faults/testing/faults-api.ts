import type { FaultRecord, FaultRuleRecord, NewFaultRule, ServeConfig } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import type { SeedRequest } from '../../../seed/seed-building.ts'
import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'

export const START = '2026-03-02T08:00:00.000Z'
const MINUTE_MS = 60_000

export interface TestPoint {
  id: string
  code: string
  name: string
  elementId: string
  pointType: string
  quantityKind: string
  unit: string
}

/** The faults API of a stack's first building, with a clock that only `pass` moves. */
export interface FaultsApi {
  stack: TestStack
  clock: ReturnType<typeof movableClock>
  /** The path of the building. */
  path: string
  points: TestPoint[]
  /** The first generated point whose code ends with this suffix. */
  point(suffix: string): TestPoint
  /** Adds a point to an element of the generated building: a zone temperature by default. */
  newPoint(changes?: object): Promise<TestPoint>
  /** Advances the clock. */
  pass(minutes: number): void
  /** Sends values, by default with the current time, and waits until they are checked. */
  observe(...seen: [point: TestPoint, value: string | number, minutesAgo?: number][]): Promise<void>
  rule(body: Partial<NewFaultRule>): Promise<FaultRuleRecord>
  patchRule(id: string, body: object): Promise<Answer>
  /** Faults, newest first. */
  faults(query?: string): Promise<FaultRecord[]>
  /** Deletes all rules, including the default rules. */
  deleteRules(): Promise<void>
}

export async function startFaultsApi(
  seed: Partial<SeedRequest> = {},
  config: Partial<ServeConfig> = {},
): Promise<FaultsApi> {
  const clock = movableClock(new Date(START))
  const stack = await startTestStack(config, { until: START, ...seed }, clock)
  const path = `/api/v1/buildings/${stack.seeded.buildingId}`
  const points: TestPoint[] = (await stack.get(`${path}/points?limit=1000`)).body.data
  await stack.faults().idle()
  const point = (suffix: string) => {
    const found = points.find(({ code }) => code.endsWith(suffix))
    if (!found) throw new Error(`the building has no point ${suffix}`)
    return found
  }
  return {
    stack,
    clock,
    path,
    points,
    point,
    async newPoint(changes = {}) {
      const { elementId } = point('.DPR')
      const temperature = { pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' }
      const body = { elementId, name: 'Zone temperature', ...temperature, ...changes }
      return (await stack.send('POST', `${path}/points`, body)).body
    },
    pass: (minutes) => clock.advance(minutes * MINUTE_MS),
    async observe(...seen) {
      const observations = seen.map(([{ id }, value, minutesAgo = 0]) => ({
        pointId: id,
        value: String(value),
        timestamp: new Date(clock.now().getTime() - minutesAgo * MINUTE_MS).toISOString(),
      }))
      const answer = await stack.send('POST', `${path}/telemetry/observations`, { observations })
      if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
      await stack.faults().idle()
    },
    async rule(body) {
      const answer = await stack.send('POST', `${path}/fault-rules`, { name: 'Rule', severity: 'minor', ...body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
    patchRule: (id, body) => stack.send('PATCH', `${path}/fault-rules/${id}`, body),
    faults: async (query = '') => (await stack.get(`${path}/faults${query}`)).body.data,
    async deleteRules() {
      for (const { id } of (await stack.get(`${path}/fault-rules`)).body.data) {
        await stack.send('DELETE', `${path}/fault-rules/${id}`)
      }
    },
  }
}
