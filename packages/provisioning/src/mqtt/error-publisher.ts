import { MqttClient } from 'mqtt'
import { type ExternalAccount, RECONNECT_MS } from './external-reader.ts'
import type { PublishError } from './receive.ts'
import type { Tally } from './tally.ts'
import { openTruncating } from './truncating-socket.ts'

const MAX_UNSENT_BYTES = 1024 * 1024

/**
 * Publishes errors on a connection of its own, because a broker that refuses an error can close the connection. If that
 * were the connection of the reader, acknowledgements of messages would be lost.
 */
export function createErrorPublisher(account: ExternalAccount, clientId: string, tally: Tally) {
  const { url, username, password } = account
  let client: MqttClient | undefined
  const publish: PublishError = (topic, text) => {
    if (!client?.connected || client.stream.writableLength > MAX_UNSENT_BYTES) return 0
    client.publish(topic, text, { qos: 0 }, (err) => {
      if (err) tally.warn('errors', { reason: err.message }, 'could not publish MQTT error')
    })
    return 1
  }
  return {
    publish,
    start(): void {
      client = new MqttClient(() => openTruncating(url), {
        ...{ username, password, clientId, clean: true, protocolVersion: 4 },
        reconnectPeriod: RECONNECT_MS,
        reconnectOnConnackError: true,
        queueQoSZero: false,
      })
      client.on('error', (err) => tally.warn('broker', { err }, 'external MQTT broker error'))
    },
    close: async (): Promise<void> => void (await client?.endAsync(true)),
  }
}
