import { connectAsync, type IClientOptions } from 'mqtt'
import type { actorsOf } from '../system/actors.ts'
import { call } from '../system/call.ts'

export const QOS1 = { qos: 1 } as const

export interface Observation {
  pointId: string
  timestamp: string
  value: unknown
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
