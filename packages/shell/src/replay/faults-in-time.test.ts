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

  it('[TIM-03] are those that were active in the window, also if they were detected before it', async () => {
    const all = [
      fault('later', iso(400)),
      fault('b', iso(40)),
      fault('a', iso(10), iso(20)),
      fault('ended in the window', iso(-1), iso(5)),
      fault('ended before', iso(-20), iso(-10)),
    ]
    expect(ids(await faultsOf(all, [fault('open', iso(-50))]))).toEqual(['open', 'ended in the window', 'a', 'b'])
  })

  it('are read newest first, up to a maximum', async () => {
    const all = Array.from({ length: 1500 }, (_, i) => fault(String(i), iso(40, -i)))
    const found = await faultsOf([fault('later', iso(400)), ...all], [])
    expect([found.length, found[0]!.id, found.at(-1)!.id]).toEqual([1000, '999', '0'])
  })
})

function faultsOf(all: FaultRecord[], active: FaultRecord[]): Promise<FaultRecord[]> {
  const faults = {
    async *listAll() {
      yield* all
    },
    list: async () => ({ data: active }),
  }
  return readReplayFaults({ faults } as unknown as BuildingClient, window, new AbortController().signal)
}
