import { equal, match } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Suite } from '../suite.ts'
import { follow, receives } from './live-checks.ts'
import { type LoadResult, listed, underLoad } from './load.ts'
import type { World } from './world.ts'

const RELOADS = 5
const BACK_LIMIT_MS = 30_000

/** Reloads and restarts of the proxy under load, and restarts of Storey behind it. */
export async function checkReloads(suite: Suite, world: World): Promise<void> {
  const { sandboxes, publicHost } = world

  function isRight(result: LoadResult): string {
    equal(listed(result.wrong), '', 'wrong answers')
    equal(result.lost + result.changed, 0, 'acknowledged observations that are not stored')
    const retried = result.retried.size === 0 ? 'none' : listed(result.retried)
    return `${result.answers} answers, ${result.acknowledged} observations kept, sent again: ${retried}`
  }

  await suite.check(
    `${RELOADS} reloads under load: every answer is right, and nothing acknowledged is lost`,
    async () =>
      isRight(
        await underLoad(world, async () => {
          for (let i = 0; i < RELOADS; i++) {
            await world.running.reload()
            await sleep(500)
          }
        }),
      ),
  )

  await suite.check('live connections stay open or reconnect at a reload, and receive events', async () => {
    const followers = [await follow(world, sandboxes[0], 'websocket'), await follow(world, sandboxes[1], 'polling')]
    await world.running.reload()
    await sleep(2_000)
    const [socket, polling] = followers.map(({ disconnects }) => (disconnects.length === 0 ? 'stays' : 'reconnects'))
    if (world.proxy.keepsStreams) equal(socket, 'stays')
    for (const follower of followers) {
      for (let i = 0; i < 100 && !follower.socket.connected; i++) await sleep(100)
      if (follower.disconnects.length > 0)
        await follower.socket.emitWithAck('join', { buildingId: follower.sandbox.buildingId })
      await receives(follower, `${Math.random()}`)
      follower.socket.disconnect()
    }
    return `the WebSocket ${socket}, the long poll ${polling}`
  })

  await suite.check('2 restarts under load: every answer is right, and nothing acknowledged is lost', async () =>
    isRight(
      await underLoad(world, async () => {
        for (let i = 0; i < 2; i++) {
          await world.restartProxy()
          await sleep(1_000)
        }
      }),
    ),
  )

  await suite.check(
    'while Storey is down, clients get 502 or 503 with NOT_READY, Retry-After and HSTS; then it is used again automatically',
    async () => {
      const client = world.http2()
      await world.restartStorey(async () => {
        for (let i = 0; i < 3; i++) {
          const reply = await client.send(publicHost, '/healthz')
          equal(reply.status === 502 || reply.status === 503, true, `${reply.status}`)
          equal(reply.json.code, 'NOT_READY')
          match(`${reply.headers['retry-after']}`, /^\d+$/)
          match(`${reply.headers['strict-transport-security']}`, /^max-age=\d+$/)
          await sleep(1_000)
        }
      })
      const from = performance.now()
      let status = 0
      while (status !== 200 && performance.now() - from < BACK_LIMIT_MS) {
        status = (await client.send(publicHost, '/readyz').catch(() => ({ status: 0 }))).status
        if (status !== 200) await sleep(100)
      }
      equal(status, 200)
      const { host, token, buildingId } = sandboxes[0]
      equal((await client.send(host, '/api/v1/buildings', { token })).json.data[0].id, buildingId)
      client.close()
    },
  )
}
