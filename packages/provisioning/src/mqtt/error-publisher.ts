import { MqttClient } from 'mqtt'
import { openClipped } from './clipped-socket.ts'
import { type ExternalAccount, RECONNECT_MS } from './external-reader.ts'
import type { PublishError } from './receive.ts'
import type { Tally } from './tally.ts'

const MAX_UNSENT_BYTES = 1024 * 1024

/**
 * Publishes errors on a connection of its own: a broker that refuses one may end the connection, and must not take the
 * acknowledgement of a message with it.
 */
export function createErrorPublisher(account: ExternalAccount, clientId: string, tally: Tally) {
  const { url, username, password } = account
  let client: MqttClient | undefined
  const publish: PublishError = (topic, text) => {
    if (!client?.connected || client.stream.writableLength > MAX_UNSENT_BYTES) return 0
    client.publish(topic, text, { qos: 0 }, (err) => {
      if (err) tally.warn('errors', { reason: err.message }, 'an MQTT error was not published')
    })
    return 1
  }
  return {
    publish,
    start(): void {
      client = new MqttClient(() => openClipped(url), {
        ...{ username, password, clientId, clean: true, protocolVersion: 4 },
        reconnectPeriod: RECONNECT_MS,
        reconnectOnConnackError: true,
        queueQoSZero: false,
      })
      client.on('error', (err) => tally.warn('broker', { err }, 'the MQTT broker does not answer as it should'))
    },
    close: async (): Promise<void> => void (await client?.endAsync(true)),
  }
}
