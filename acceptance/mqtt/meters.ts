import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import type { actorsOf } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort } from '../system/system.ts'

export const QOS1 = { qos: 1 } as const

export interface Observation {
  pointId: string
  timestamp: string
  value: unknown
}

export type Meters = Awaited<ReturnType<typeof newMeters>>

/** A system with an MQTT broker, and a key of its demo developer. */
export async function startWithMqtt() {
  const env: Record<string, string> = { MQTT_ENABLED: 'true', MQTT_PORT: String(await freePort()) }
  const system = await startInstalled({ env })
  const key = await actorsAt(system).operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  return { env, system, key }
}

/** Clients that are closed together. */
export function openClients() {
  const clients: MqttClient[] = []
  return {
    async connected(meters: Meters, options?: IClientOptions): Promise<MqttClient> {
      const client = await meters.connect(options)
      clients.push(client)
      return client
    },
    close: () => Promise.all(clients.map((client) => client.endAsync(true))),
  }
}

/** Creates a small sandbox. Returns one of its points, REST calls that read and write it, and `connect` for MQTT. */
export async function newMeters({ newSandbox }: ReturnType<typeof actorsOf>, key: string) {
  const { record, connection } = await newSandbox(key)
  const { apiUrl, token, buildingId, mqtt } = connection
  const building = `${apiUrl}/api/v1/buildings/${buildingId}`
  const points = await call(`${building}/points?limit=1`, { token })
  const pointId: string = points.json.data[0].id
  const began = Date.now() - 3_600_000

  return {
    record,
    connection,
    mqtt: mqtt as { url: string; username: string; password: string; topic: string },
    pointId,
    /** The n-th observation of this run. Observations are one second apart. */
    observation: (n: number, value: unknown = `${n}`): Observation => ({
      pointId,
      timestamp: new Date(began + n * 1_000).toISOString(),
      value,
    }),
    async stored(): Promise<string[]> {
      const from = new Date(began).toISOString()
      const to = new Date(began + 3_600_000).toISOString()
      const url = `${building}/telemetry/observations?pointId=${pointId}&from=${from}&to=${to}&limit=10000`
      const { json } = await call(url, { token })
      return json.data.map(({ value }: { value: string }) => value)
    },
    rest: (body: unknown) => call(`${building}/telemetry/observations`, { token, body }),
    async latest(): Promise<{ value: string; source: string }> {
      const { json } = await call(`${building}/telemetry/latest`, { token })
      return json.data.find((row: Observation) => row.pointId === pointId)
    },
    async connect(options: IClientOptions = {}) {
      const { username, password } = mqtt
      const client = await connectAsync(mqtt.url, { username, password, reconnectPeriod: 100, ...options })
      client.on('error', () => undefined)
      return client
    },
  }
}

export const body = (...observations: Observation[]): string => JSON.stringify({ observations })
