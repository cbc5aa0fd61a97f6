import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { silentLog } from '@storey/kit/log'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import type { ControlPlaneConfig, ControlPlaneParts } from '../control-plane.ts'
import { createCredentials } from '../mqtt/credentials.ts'
import { errorsTopic, telemetryTopic } from '../mqtt/topics.ts'
import { testControlPlane } from './control-plane.ts'
import type { Script } from './scripted-stack.ts'

/** A control plane whose embedded broker listens, with stacks that behave as each message specifies. */
export async function testMqttBroker(
  changes: Partial<ControlPlaneConfig> = {},
  further: Pick<ControlPlaneParts, 'clientAddresses'> = {},
) {
  const test = await testControlPlane({ mqtt: { kind: 'embedded', port: 1883 }, ...changes }, silentLog, further)
  const { server } = test.plane().mqtt!
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const { port } = server!.address() as AddressInfo
  const credentials = createCredentials(test.config.masterSecret)
  const clients: MqttClient[] = []

  async function connect(options: IClientOptions): Promise<MqttClient> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...options })
    client.on('error', () => undefined)
    clients.push(client)
    return client
  }

  return {
    ...test,
    mqttPort: port,
    connect,
    /** A ready sandbox, its MQTT credentials, and its topics. */
    async sandbox() {
      const key = await test.newKey()
      const { sandboxId, slug, organizationId } = await test.create(key)
      const { siteId, buildingId } = await test.waitWhileProvisioning(key, sandboxId)
      const login = { username: sandboxId, password: credentials.passwordOf(sandboxId) }
      const named = { organizationId, siteId, buildingId }
      return {
        key,
        sandboxId,
        login,
        named,
        topic: telemetryTopic(named),
        errors: errorsTopic(named),
        connect: (options: IClientOptions = {}) => connect({ ...login, ...options }),
        received: async () => {
          const { text } = await test.call({ host: `${slug}.localhost`, path: '/received' })
          return text.split('\n').filter((name) => name !== '')
        },
      }
    },
    async drop() {
      await Promise.all(clients.map((client) => client.endAsync(true)))
      await test.drop()
    },
  }
}

/** The times of arrival of a message, one for each of its deliveries to the scripted stack in this folder. */
export function arrivalsOf(folder: string, name: string): number[] {
  const lines = readFileSync(join(folder, 'arrivals'), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith(`${name} `)).map((line) => Number(line.split(' ')[1]))
}

export const script = (message: Script): string => JSON.stringify(message)

/** Collects the messages that a client receives from now on. */
export function inbox(client: MqttClient) {
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages without a schema
  const messages: any[] = []
  client.on('message', (_topic, payload) => messages.push(JSON.parse(payload.toString())))
  return messages
}
