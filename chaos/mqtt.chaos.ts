import { connectAsync } from 'mqtt'
import { freePort } from '../acceptance/system/system.ts'
import { underKills, type Write } from './under-kills.ts'

/** How many messages may be unacknowledged at a time. */
const WINDOW = 5

/** Writes over MQTT at QoS 1. The client reconnects and resends what was not acknowledged. */
const write: Write = async (target, isOver) => {
  const { url, topic, ...login } = target.mqtt
  const client = await connectAsync(url.replace('localhost', '127.0.0.1'), { ...login, reconnectPeriod: 100 })
  let reconnects = 0
  client.on('error', () => undefined)
  client.on('reconnect', () => reconnects++)
  client.on('message', (_, text) => {
    throw new Error(`refused: ${text}`)
  })
  await client.subscribeAsync(`${topic}/errors`, { qos: 1 })
  let sent = 0
  const senders = Array.from({ length: WINDOW }, async () => {
    while (!isOver()) {
      const n = sent++
      await client.publishAsync(topic, target.body(n), { qos: 1 })
      target.acknowledged(n)
    }
  })
  await Promise.all(senders)
  await client.endAsync()
  return reconnects
}

await underKills({ MQTT_ENABLED: 'true', MQTT_PORT: `${await freePort()}` }, write)
