import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoldingReport, LoopRuns, RequestsReport, StackReport } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../testing/control-plane.ts'

const NO_REQUESTS: RequestsReport = { rssBytes: 0, bytesInUse: 0, waiting: 0, refused: 0 }
const OTHERS: Omit<StackReport, 'folding' | 'requests' | 'loops'> = {
  isDatabaseUp: true,
  pool: { inUse: 1, waiting: 0, limit: 5 },
  webhooks: { due: 3, oldestDueAtMs: 1_000, failing: 1, succeeded: 20, failed: 4 },
  importsWaiting: 2,
  liveConnections: 7,
  isNatsConnected: null,
}

describe('reports of stacks', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  beforeAll(async () => {
    test = await testControlPlane()
  })
  afterAll(() => test.drop())

  /** A running stack with scripted reports. */
  async function stack() {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const call = (path: string) => test.call({ host: `${slug}.localhost`, path })
    await call('/')
    const write = (report: object) =>
      writeFileSync(join(test.folder, sandboxId, 'report'), JSON.stringify(report), 'utf8')
    return {
      call,
      reports: (folding: FoldingReport, requests = NO_REQUESTS, loops: Record<string, LoopRuns> = {}) =>
        write({ ...OTHERS, folding, requests, loops }),
      write,
      sandboxId,
    }
  }
  const counts = async () => (await test.plane().counts()).observations
  const agoMs = (ms: number) => test.clock.now().getTime() - ms

  it('are added up over the running stacks, starting from zero', async () => {
    expect(await counts()).toEqual({ waiting: 0, oldestWaitsMs: 0, folded: 0 })
    const [one, two] = [await stack(), await stack()]
    one.reports({ waiting: 10, oldestAtMs: agoMs(3_000), folded: 100 })
    two.reports({ waiting: 5, oldestAtMs: agoMs(8_000), folded: 40 })
    expect(await counts()).toEqual({ waiting: 15, oldestWaitsMs: 8_000, folded: 140 })
    two.reports({ waiting: 0, oldestAtMs: null, folded: 45 })
    expect(await counts()).toEqual({ waiting: 10, oldestWaitsMs: 3_000, folded: 145 })

    // After the crash the new process counts from zero and reports 120. The total grows by 120, although the old
    // process had already reported 100.
    one.reports({ waiting: 0, oldestAtMs: null, folded: 120 })
    await one.call('/crash').catch(() => undefined)
    await expect.poll(async () => (await one.call('/')).status).toBe(200)
    expect(await counts()).toEqual({ waiting: 0, oldestWaitsMs: 0, folded: 265 })
  })

  it('include the memory of all stacks and of the largest stack, the memory of requests, and how many requests wait and were refused', async () => {
    const [one, two] = [await stack(), await stack()]
    const idle = { waiting: 0, oldestAtMs: null, folded: 0 }
    one.reports(idle, { rssBytes: 300, bytesInUse: 40, waiting: 2, refused: 5 })
    two.reports(idle, { rssBytes: 200, bytesInUse: 10, waiting: 1, refused: 0 })
    const requests = async () => (await test.plane().counts()).requests
    expect(await requests()).toEqual({ rssBytes: 500, largestRssBytes: 300, bytesInUse: 50, waiting: 3, refused: 5 })
    two.reports(idle, { rssBytes: 400, bytesInUse: 0, waiting: 0, refused: 1 })
    expect(await requests()).toEqual({ rssBytes: 700, largestRssBytes: 400, bytesInUse: 40, waiting: 2, refused: 6 })
  })

  it('are combined per loop of background work: the runs are added up, and the oldest last success is kept', async () => {
    const [one, two] = [await stack(), await stack()]
    const idle = { waiting: 0, oldestAtMs: null, folded: 0 }
    const loops = async () => (await test.plane().counts()).stackLoops
    one.reports(idle, NO_REQUESTS, { delivery: { succeeded: 5, failed: 1, lastSuccessAtMs: 2_000 } })
    two.reports(idle, NO_REQUESTS, { delivery: { succeeded: 2, failed: 0, lastSuccessAtMs: 1_000 } })
    expect(await loops()).toEqual({ delivery: { succeeded: 7, failed: 1, lastSuccessAtMs: 1_000 } })
    two.reports(idle, NO_REQUESTS, { delivery: { succeeded: 3, failed: 4, lastSuccessAtMs: 3_000 } })
    expect(await loops()).toEqual({ delivery: { succeeded: 8, failed: 5, lastSuccessAtMs: 2_000 } })
  })

  it('are also available for each stack, except for a stack whose report is malformed', async () => {
    const [one, two] = [await stack(), await stack()]
    const idle = { waiting: 0, oldestAtMs: null, folded: 0 }
    one.reports(idle)
    two.write({ ...OTHERS, folding: idle, requests: NO_REQUESTS, loops: { 'x"y': {} } })
    const { stacks } = await test.plane().counts()
    expect(stacks[one.sandboxId]).toEqual({ ...OTHERS, folding: idle, requests: NO_REQUESTS, loops: {} })
    expect(stacks[two.sandboxId]).toBeUndefined()
  })

  it('leave out a stack until it sends a report', async () => {
    const silent = await stack()
    const before = await counts()
    silent.reports({ waiting: 7, oldestAtMs: agoMs(1_000), folded: 0 })
    expect(await counts()).toEqual({ ...before, waiting: before.waiting + 7, oldestWaitsMs: 1_000 })
  })
})
