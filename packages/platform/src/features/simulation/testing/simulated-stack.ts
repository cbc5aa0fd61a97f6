import { planTelemetry, STEP_MS, sampleDelays, simulate } from '@storey/building'
import type { PointUpdated, ServeConfig, SimulationRecord } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import type { StackParts } from '../../../create-stack.ts'
import { type Answer, startTestStack, type TestStack } from '../../../testing/test-stack.ts'

export interface Sent {
  pointId: string
  value: string
  timestamp: string
  source: string | null
}

export interface SimulatedStack {
  stack: TestStack
  clock: ReturnType<typeof movableClock>
  path: string
  command(body: unknown): Promise<Answer>
  read(): Promise<SimulationRecord>
  /** Moves the clock, waits for the simulation, and returns what `sent` returns then. */
  after(minutes: number): Promise<Sent[]>
  /** The observations that were published since the last call of `sent` or `after`. */
  sent(): Sent[]
  /** The generated values that are sent after `fromMs`, up to `toMs`. */
  generated(fromMs: number, toMs: number): Sent[]
  /** The id of a generated node of the building, by its code. */
  idOf(code: string): string
}

/** A stack whose building can be simulated, and whose clock only moves when the test moves it. */
export async function startSimulatedStack(
  at: string,
  changes: Partial<ServeConfig> = {},
  parts: Pick<StackParts, 'memory'> = {},
): Promise<SimulatedStack> {
  const clock = movableClock(new Date(at))
  const stack = await startTestStack(changes, { until: at }, clock, parts)
  const path = `/api/v1/buildings/${stack.seeded.buildingId}/simulation`
  const { spaces, elements, points, storeys } = stack.building
  const keys = new Map([...spaces, ...elements, ...points, ...storeys].map(({ code, key }) => [code, key]))
  let received: Sent[] = []
  const sent = () => {
    const all = received
    received = []
    return all
  }
  const listen = () =>
    stack.bus().subscribe('building.point.updated', ({ fields }) => {
      received.push(...(fields as PointUpdated).observations)
    })
  listen()
  const { restart } = stack
  stack.restart = async () => {
    await restart()
    listen()
  }
  return {
    stack,
    clock,
    path,
    sent,
    command: (body) => stack.send('POST', path, body),
    read: async () => (await stack.get(path)).body,
    async after(minutes) {
      clock.advance(minutes * 60_000)
      await stack.simulated()
      return sent()
    },
    generated: (fromMs, toMs) => generate(stack, fromMs, toMs),
    idOf: (code) => stack.idOf(keys.get(code)!),
  }
}

/** The generated values that are sent after `fromMs`, up to `toMs`. */
function generate(stack: TestStack, fromMs: number, toMs: number): (Sent & { atMs: number })[] {
  const { points } = stack.building
  const all: (Sent & { atMs: number })[] = []
  const model = planTelemetry(stack.building)
  const delays = sampleDelays(model)
  const days = simulate(model, new Date(fromMs + 1 - STEP_MS), new Date(toMs + 1))
  for (const { dayStart, series } of days) {
    for (const { pointIndex, offsetsMs, values, texts } of series) {
      const pointId = stack.idOf(points[pointIndex]!.key)
      offsetsMs.forEach((offsetMs, i) => {
        const atMs = dayStart + offsetMs + delays[pointIndex]!
        if (atMs <= fromMs || atMs > toMs) return
        const timestamp = new Date(atMs).toISOString()
        all.push({ pointId, atMs, timestamp, value: texts?.[i] ?? String(values[i]), source: null })
      })
    }
  }
  return all
}

/** The generated values as lines that tests can compare; `timestampOf` maps their times. */
export function generated(stack: TestStack, fromMs: number, toMs: number, timestampOf = (ms: number) => ms): string[] {
  const all = generate(stack, fromMs, toMs)
  return lines(all.map(({ atMs, ...one }) => ({ ...one, timestamp: new Date(timestampOf(atMs)).toISOString() })))
}

export const lines = (sent: readonly Sent[]): string[] =>
  sent.map(({ pointId, timestamp, value }) => `${pointId} ${timestamp} ${value}`).sort()
