import { describe, expect, it } from 'vitest'
import { processes } from '../system/processes.ts'
import { actorsAt } from '../system/shared.ts'
import { startSystem } from '../system/system.ts'
import { body, newMeters, QOS1 } from './meters.ts'
import { useMqtt } from './use-mqtt.ts'

const { used, connected } = useMqtt()

describe('messages over MQTT', () => {
  it('[OPR-02] cannot be sent to a suspended sandbox: its clients are disconnected, and refused until it is resumed', async () => {
    const { operator } = actorsAt(used.system)
    const meters = await newMeters(actorsAt(used.system), used.key)
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
    await actorsAt(used.system).api(used.key, `/api/v1/sandboxes/${meters.record.sandboxId}`, { method: 'DELETE' })
  })

  it('[MQT-06] are not lost when the stack or the service is killed, and a repeated message changes nothing', async () => {
    const meters = await newMeters(actorsAt(used.system), used.key)
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
    const stack = processes().find(({ parent, args }) => parent === used.system.pid && / serve$/.test(args))
    process.kill(stack!.pid, 'SIGKILL')
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200)
    await used.system.kill9()
    const port = Number(new URL(used.system.url).port)
    await expect.poll(() => processes().filter(({ args }) => args.includes(used.system.dataDir)).length).toBe(0)
    used.system = await startSystem({ env: used.env, dataDir: used.system.dataDir, port })
    await all
    expect(await meters.stored()).toEqual(numbers.map(String))
  })
})
