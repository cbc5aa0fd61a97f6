import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processes } from '../system/processes.ts'
import { actorsAt } from '../system/shared.ts'
import { type System, startSystem } from '../system/system.ts'
import { body, newMeters, openClients, QOS1, startWithMqtt } from './meters.ts'

let system: System
let key: string
let env: Record<string, string>
const { connected, close } = openClients()

beforeAll(async () => {
  ;({ env, system, key } = await startWithMqtt())
})
afterAll(async () => {
  await close()
  await system.remove()
})

describe('messages over MQTT', () => {
  it('[OPR-02] cannot be sent to a suspended sandbox: its clients are disconnected, and refused until it is resumed', async () => {
    const { operator } = actorsAt(system)
    const meters = await newMeters(actorsAt(system), key)
    const client = await connected(meters, { reconnectPeriod: 0 })
    await client.publishAsync(meters.mqtt.topic, body(meters.observation(1)), QOS1)
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    await operator('sandbox', 'suspend', meters.record.slug)
    await closed
    await expect(meters.connect({ reconnectPeriod: 0 })).rejects.toThrow('Not authorized')
    await operator('sandbox', 'resume', meters.record.slug)
    const again = await connected(meters)
    await again.publishAsync(meters.mqtt.topic, body(meters.observation(2)), QOS1)
    expect(await meters.stored()).toEqual(['1', '2'])
    await actorsAt(system).api(key, `/api/v1/sandboxes/${meters.record.sandboxId}`, { method: 'DELETE' })
  })

  it('[MQT-06] are not lost when the stack or the service is killed, and a repeated message changes nothing', async () => {
    const meters = await newMeters(actorsAt(system), key)
    const client = await connected(meters)
    const numbers = Array.from({ length: 600 }, (_, i) => i)
    const acknowledged: number[] = []
    const all = Promise.all(
      numbers.map(async (n) => {
        await client.publishAsync(meters.mqtt.topic, body(meters.observation(n)), QOS1)
        acknowledged.push(n)
      }),
    )
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
    const stack = processes().find(({ parent, args }) => parent === system.pid && / serve$/.test(args))
    process.kill(stack!.pid, 'SIGKILL')
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200)
    await system.kill9()
    const port = Number(new URL(system.url).port)
    await expect.poll(() => processes().filter(({ args }) => args.includes(system.dataDir)).length).toBe(0)
    system = await startSystem({ env, dataDir: system.dataDir, port })
    await all
    expect(await meters.stored()).toEqual(numbers.map(String))
  })
})
