/** The clients of a tenant that floods its sandbox, in a separate process: REST, MQTT and imports at the same time. */

import { Agent, request } from 'node:http'
import { connectAsync } from 'mqtt'
import { CONNECTIONS, type Load, loadOf } from '../bench/loads.ts'
import { ifcFile } from '../packages/ifc/src/testing/index.ts'

/** Sent by the parent process at the start. Any other message ends the flood. */
export interface Tenant {
  connection: {
    apiUrl: string
    buildingId: string
    token: string
    mqtt: { url: string; topic: string; username: string; password: string }
  }
  points: readonly string[]
}
/** Sent to the parent process at the end: what was sent, and how often. */
export type Flooded = Record<string, number>

const MESSAGES_IN_FLIGHT = 8
const ROOMS = 400
const counts: Flooded = {}
let isOver = false
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

process.once('message', async (tenant: Tenant) => {
  process.once('message', () => {
    isOver = true
  })
  await Promise.all([flood(tenant), publish(tenant), importModels(tenant)])
  process.send!(counts)
  process.disconnect!()
})

function poster({ connection: { apiUrl, buildingId, token } }: Tenant) {
  const agent = new Agent({ keepAlive: true })
  const { host, port } = new URL(apiUrl)
  return (path: string, type: string, body: Buffer): Promise<number> =>
    new Promise((resolve) => {
      const headers = { host, authorization: `Bearer ${token}`, 'content-type': type, 'content-length': body.length }
      const where = { host: '127.0.0.1', port, path: `/api/v1/buildings/${buildingId}${path}`, method: 'POST' }
      const sent = request({ ...where, headers, agent }, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode!))
      })
      sent.on('error', () => resolve(0)).end(body)
    })
}

const loadFor = (tenant: Tenant): Load => loadOf('json', tenant.points)

/** Sends observations on several connections. Each connection sends again as soon as its last response has arrived. */
async function flood(tenant: Tenant): Promise<void> {
  const post = poster(tenant)
  const load = loadFor(tenant)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const sender = load.sender()
      while (!isOver) count(`REST ${await post('/telemetry/observations', 'application/json', sender.next())}`)
    }),
  )
}

async function publish(tenant: Tenant): Promise<void> {
  const { url, topic, ...login } = tenant.connection.mqtt
  const load = loadFor(tenant)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = await connectAsync(url.replace('localhost', '127.0.0.1'), login)
      await Promise.all(
        Array.from({ length: MESSAGES_IN_FLIGHT }, async () => {
          const sender = load.sender()
          while (!isOver) {
            await client.publishAsync(topic, sender.next(), { qos: 1 })
            count('MQTT')
          }
        }),
      )
      await client.endAsync()
    }),
  )
}

/** Uploads building models one after another. They arrive faster than they are read, so they wait or are refused. */
async function importModels(tenant: Tenant): Promise<void> {
  const post = poster(tenant)
  const spaces = Array.from({ length: ROOMS }, (_, i) => ({ name: `${i}`, longName: `Room ${i}` }))
  const bytes = Buffer.from(
    ifcFile({
      project: { name: 'Flood' },
      site: { name: 'Site' },
      building: { name: 'Model' },
      storeys: [{ name: 'Ground', elevation: 0, spaces }],
    }),
  )
  while (!isOver) {
    count(`imports ${await post('/import/ifc', 'application/octet-stream', bytes)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
