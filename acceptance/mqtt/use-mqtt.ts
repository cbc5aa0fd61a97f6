import type { IClientOptions, MqttClient } from 'mqtt'
import { afterAll, beforeAll } from 'vitest'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort, type System } from '../system/system.ts'
import type { newMeters } from './meters.ts'

export type Meters = Awaited<ReturnType<typeof newMeters>>

/** A system with an MQTT broker. */
interface WithMqtt {
  system: System
  env: Record<string, string>
  /** A key of the demo developer. */
  key: string
}

/** Starts a system with an MQTT broker for the tests of a file, and closes its clients and removes it after them. */
export function useMqtt() {
  const used = {} as WithMqtt
  const clients: MqttClient[] = []
  beforeAll(async () => {
    used.env = { MQTT_ENABLED: 'true', MQTT_PORT: String(await freePort()) }
    used.system = await startInstalled({ env: used.env })
    used.key = await actorsAt(used.system).operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)))
    await used.system.remove()
  })
  async function connected(meters: Meters, options?: IClientOptions): Promise<MqttClient> {
    const client = await meters.connect(options)
    clients.push(client)
    return client
  }
  return { used, connected }
}
