import { releaseBuffer } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { publishAck, readPublish } from './publish-packet.ts'
import type { Message, PublishError, Receive } from './receive.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Forwarded } from './throttled-socket.ts'
import { isWildcard, matches, readTelemetryTopic } from './topics.ts'

export interface MessageHandlerOptions {
  sessions: Sessions
  receive: Receive
  log: Log
}

/** A client that reads nothing for this long is disconnected. */
export const READ_LIMIT_MS = 10_000
/** A subscriber that has more unread bytes gets no further errors. */
const MAX_UNREAD_BYTES = 1024 * 1024

export const NOT_STORED = 'the message could not be stored'

/** Handles the messages of the embedded broker's clients. */
export function createMessageHandler({ sessions, receive, log }: MessageHandlerOptions) {
  /** Takes telemetry with QoS 1, and acknowledges it. Everything else is left to the broker. */
  function takeTelemetry(session: Session, body: Buffer, { bytes, leftOut }: Forwarded): boolean {
    const packet = readPublish(body)
    if (!packet || isWildcard(packet.topic) || !readTelemetryTopic(packet.topic)) return false
    const { connection } = session
    session.tail = inTurn(session, { ...packet, leftOut }, bytes).then(async (isHandled) => {
      releaseBuffer(body)
      if (!isHandled) connection.destroy(new Error(NOT_STORED))
      else if (!connection.destroyed && !connection.write(publishAck(packet.messageId)))
        await connection.drained(READ_LIMIT_MS)
    })
    return true
  }

  /** Handles the messages of a client in order. True when the message may be acknowledged. */
  function inTurn(session: Session, packet: Omit<Message, 'arrivedAt'>, bytes: number): Promise<boolean> {
    const message = { ...packet, arrivedAt: session.nextArrival() }
    // A message without an id has QoS 0 or is a will, and its client does not send it again.
    const mayBeLost = message.messageId === undefined
    const turn = session.tail
      .then(async () => {
        // The client has disconnected while the message waited, and will send it again.
        if (session.connection.destroyed && !mayBeLost) return false
        return (await receive(session.sandbox, message, publisherFor(session))) || mayBeLost
      })
      .catch((err) => {
        log.error({ err }, 'MQTT message handling failed')
        return false
      })
      .finally(() => session.connection.release(bytes))
    session.tail = turn
    return turn
  }

  /** Publishes errors without the broker's own queue, in which one slow subscriber blocks all others. */
  function publisherFor({ sandbox }: Session): PublishError {
    return (topic, text) => {
      const payload = Buffer.from(text)
      let recipients = 0
      for (const [client, { filters, connection }] of sessions.inSandbox(sandbox.sandboxId)) {
        const granted = [...filters].filter(([filter]) => matches(filter, topic)).map(([, qos]) => qos)
        if (granted.length === 0 || connection.writableLength > MAX_UNREAD_BYTES) continue
        const qos = Math.min(1, Math.max(...granted)) as 0 | 1
        client.publish({ cmd: 'publish', topic, payload, qos, retain: false, dup: false }, () => undefined)
        recipients++
      }
      return recipients
    }
  }

  return { inTurn, takeTelemetry }
}
