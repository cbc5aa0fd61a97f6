import { connectAsync } from 'mqtt'
import { call } from '../acceptance/system/call.ts'
import { loadOf } from '../bench/loads.ts'
import { openReceiver } from './receiver.ts'
import { runSoak } from './run-soak.ts'

/**
 * `npm run soak -- mixed [minutes]`
 *
 * The load of several integrations at the same time, by default for a day: observations over REST (JSON and
 * line protocol) and MQTT, webhooks, reads of history and last values, changes of the graph, and sandboxes that are
 * created and deleted.
 */

const DAY_MINUTES = 1440
const HOUR_MS = 3_600_000

await runSoak('mixed', DAY_MINUTES, async ({ connection, base, points, isOver, attempt, actors, key }) => {
  const { token } = connection
  const counts = new Map<string, number>()
  const receiver = await openReceiver()
  const webhook = { url: receiver.url, events: ['building.point.updated'] }
  const api = async (url: string, options: Parameters<typeof call>[1] = {}) => {
    const answer = await call(url, { token, ...options })
    if (answer.status >= 400) throw new Error(`${url}: ${answer.status} ${answer.text.slice(0, 200)}`)
    return answer
  }
  await api(`${connection.apiUrl}/api/v1/webhooks`, { body: webhook })
  const { json: spaces } = await api(`${base}/spaces?limit=10`)

  /** Does something at an interval, until the run is over. */
  async function every(ms: number, what: string, work: () => Promise<unknown>): Promise<void> {
    while (!isOver()) {
      const startedAt = performance.now()
      if (await attempt(work)) counts.set(what, (counts.get(what) ?? 0) + 1)
      const restMs = ms - (performance.now() - startedAt)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)))
    }
  }

  const load = loadOf('json', points)
  const [sender, publisher] = [load.sender(), load.sender()]
  const lines = () =>
    points
      .slice(0, 1000)
      .map((id) => `${id} value=21.5 ${Date.now()}`)
      .join('\n')
  const observations = `${base}/telemetry/observations`
  const { url, topic, ...login } = connection.mqtt
  const mqtt = await connectAsync(url.replace('localhost', '127.0.0.1'), login)
  const from = new Date(Date.now() - 24 * HOUR_MS).toISOString()
  return {
    async run() {
      await Promise.all([
        every(200, 'JSON bodies', () =>
          api(observations, { body: sender.next(), headers: { 'content-type': 'application/json' } }),
        ),
        every(1_000, 'bodies of line protocol', () =>
          api(`${base}/telemetry/influx/write?precision=ms`, {
            body: lines(),
            headers: { 'content-type': 'text/plain' },
          }),
        ),
        every(1_000, 'MQTT messages', () => mqtt.publishAsync(topic, publisher.next(), { qos: 1 })),
        every(500, 'reads of hourly averages', () =>
          api(`${base}/telemetry/observations?pointId=${points[0]}&from=${from}&aggregation=avg&interval=1h`),
        ),
        every(2_000, 'reads of last values', () => api(`${base}/telemetry/latest`)),
        every(5_000, 'changes of the graph', () => {
          const { id } = spaces.data[Math.floor(Math.random() * spaces.data.length)]
          return api(`${base}/spaces/${id}`, { method: 'PATCH', body: { name: `Room ${Date.now()}` } })
        }),
        every(60_000, 'sandboxes', async () => {
          const { record } = await actors.newSandbox(key)
          await actors.api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })
        }),
      ])
      await mqtt.endAsync()
      receiver.close()
    },
    summary: () => [...counts, ['webhook deliveries', receiver.count()]].map(([what, n]) => `${n} ${what}`).join(', '),
  }
})
