import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { Server } from 'socket.io'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../testing/browser.ts'
import { type ReceivedRequest, type Reply, startServer } from '../testing/test-server.ts'

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 8, 0, second)).toISOString()

async function bundled(): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL('../testing/hooks-page.ts', import.meta.url)),
    platform: 'browser',
    resolve: { conditionNames: ['source', 'browser', 'import', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

describe('the hooks, in a browser', () => {
  const closing: (() => unknown)[] = []
  let emit: (value: string, second: number) => void
  let changeSilently: (value: string) => void
  let acceptJoins = () => {}
  let shown: () => Promise<Record<string, unknown>>
  let seen: () => Promise<{ renders: number; events: number }>
  beforeAll(async () => {
    const script = await bundled()
    const replies: Record<string, Reply> = {
      '/': { body: '<!doctype html><body></body><script type="module" src="/page.js"></script>' },
      '/page.js': { body: script, headers: { 'content-type': 'text/javascript' } },
      '/api/v1/buildings/building-1': { body: { id: 'building-1', name: 'Tower' } },
      '/api/v1/buildings/building-1/telemetry/latest': {
        body: { data: [{ pointId: 'air', value: '20', timestamp: at(1) }], asOf: at(2) },
      },
    }
    changeSilently = (value) => {
      replies['/api/v1/buildings/building-1/telemetry/latest'] = {
        body: { data: [{ pointId: 'air', value, timestamp: at(1) }], asOf: at(2) },
      }
    }
    const mayJoin = new Promise<void>((resolve) => {
      acceptJoins = resolve
    })
    const isAllowed = ({ path, headers }: ReceivedRequest) =>
      !path.startsWith('/api') || headers.authorization === 'Bearer token-1'
    const server = await startServer(
      (each) => (isAllowed(each) ? replies[each.path] : { status: 401 }) ?? { status: 404 },
    )
    const live = new Server(server.server)
    live.of('/buildings').on('connection', (socket) => {
      socket.on('join', async ({ buildingId }, reply) => {
        await mayJoin
        socket.join(buildingId)
        reply({ ok: true, buildingId, sequence: 0 })
      })
    })
    let sequence = 0
    emit = (value, second) => {
      sequence += 1
      const observation = { pointId: 'air', elementId: 'e', value, timestamp: at(second), source: null }
      const event = { buildingId: 'building-1', observations: [observation] }
      live.of('/buildings').to('building-1').emit('building.point.updated', event, { sequence })
    }
    const browser = await launchBrowser()
    const page = await browser.newPage()
    closing.push(
      () => browser.close(),
      () => live.close(),
    )
    await page.goto(server.url)
    shown = async () => JSON.parse((await page.textContent('pre')) ?? '{}')
    seen = () => page.evaluate('seen')
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  it('[SDK-08] provide the token, the building and the last values', async () => {
    await expect
      .poll(() => shown())
      .toMatchObject({
        token: 'token-1',
        building: 'Tower',
        values: { air: '20' },
        first: '20',
      })
    expect((await shown()).error).toBeUndefined()
  })

  it('[SDK-16] provide a value that changed before the channel was live', async () => {
    expect(await shown()).toMatchObject({ status: 'connecting', values: { air: '20' } })
    changeSilently('20.5')
    acceptJoins()
    await expect.poll(async () => (await shown()).values).toEqual({ air: '20.5' })
  })

  it('follow the live channel, and render once per frame however many values arrive', async () => {
    // A received value proves that the channel is connected.
    await expect
      .poll(async () => {
        emit('21', 2)
        return (await shown()).values
      })
      .toEqual({ air: '21' })
    const before = await seen()
    for (let n = 1; n <= 300; n++) emit(String(100 + n), 10 + n)
    await expect.poll(async () => (await shown()).values).toEqual({ air: '400' })
    await expect.poll(async () => (await seen()).events).toBeGreaterThanOrEqual(before.events + 300)
    expect((await seen()).renders - before.renders).toBeLessThan(100)
    // The result of `useLastValues` does not change after the first read.
    expect((await shown()).first).toBe('20')
  })
})
