import type { BuildingClient, FaultRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { detectionsIn, faultsAt, nextDetection, previousDetection, readReplayFaults } from './faults-in-time.ts'
import { timeOf, windowFor } from './window.ts'

const window = windowFor('day', Date.parse('2026-03-10T12:07:00Z'))
const iso = (frame: number, afterMs = 0) => new Date(timeOf(window, frame) + afterMs).toISOString()
const fault = (id: string, detectedAt: string, resolvedAt: string | null = null) =>
  ({ id, detectedAt, resolvedAt, acknowledgedAt: null }) as FaultRecord
const ids = (faults: readonly { id: string }[]) => faults.map(({ id }) => id)

describe('the faults of a replay', () => {
  it('[TIM-03] are active from their detection until they are resolved', () => {
    const faults = [fault('a', iso(10, 1000), iso(12, 1000)), fault('b', iso(11))]
    expect([9, 10, 11, 12, 13].map((frame) => ids(faultsAt(faults, window, frame)))).toEqual([
      [],
      ['a'],
      ['a', 'b'],
      ['a', 'b'],
      ['b'],
    ])
  })

  it('have the state that they had at the time of the frame', () => {
    const resolved = { ...fault('a', iso(10), iso(30)), acknowledgedAt: iso(20), state: 'resolved' as const }
    expect([15, 25].map((frame) => faultsAt([resolved], window, frame)[0]?.state)).toEqual(['open', 'acknowledged'])
  })

  it('[TIM-03] can be visited one after the other, except those detected before the window', () => {
    const detections = detectionsIn([fault('old', iso(-5)), fault('a', iso(10, 1000)), fault('b', iso(40))], window)
    expect(detections.map(({ frame }) => frame)).toEqual([10, 40])
    expect([nextDetection(detections, 0), nextDetection(detections, 10), nextDetection(detections, 40)]).toEqual([
      10,
      40,
      undefined,
    ])
    expect([previousDetection(detections, 40), previousDetection(detections, 10)]).toEqual([10, undefined])
  })

  it('are read newest first until one is older than the window, and the newest active ones are added', async () => {
    const all = [fault('later', iso(400)), fault('b', iso(40)), fault('a', iso(10)), fault('older', iso(-1))]
    let read = 0
    const api = {
      faults: {
        async *listAll() {
          for (const one of [...all, fault('oldest', iso(-100))]) {
            read++
            yield one
          }
        },
        list: async () => ({ data: [fault('open', iso(-50))] }),
      },
    } as unknown as BuildingClient
    const found = await readReplayFaults(api, window, new AbortController().signal)
    expect([ids(found), read]).toEqual([['open', 'a', 'b'], 4])
  })
})
