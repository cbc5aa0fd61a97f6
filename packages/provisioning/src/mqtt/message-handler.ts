import { releaseBuffer } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { PUBLISH, PUBREL, SUBSCRIBE, typeOf, UNSUBSCRIBE } from './framing.ts'
import { checkFilters, ProtocolError, readPacketId } from './protocol-checks.ts'
import { type PublishFields, publishAck, readPublish } from './publish-packet.ts'
import type { Message, PublishError, Receive } from './receive.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Packet } from './throttled-socket.ts'
import { matches } from './topics.ts'

export interface MessageHandlerOptions {
  sessions: Sessions
  receive: Receive
  log: Log
}

/** A client that reads nothing for this long is disconnected. */
export const READ_LIMIT_MS = 10_000
/** A subscriber that has more unread bytes gets no further errors. */
const MAX_UNREAD_BYTES = 1024 * 1024
/** A client that leaves more messages with QoS 2 unreleased is disconnected. */
const MAX_UNRELEASED = 1_000

export const NOT_STORED = 'the message could not be stored'

/** Handles the messages of the embedded broker's clients. */
export function createMessageHandler({ sessions, receive, log }: MessageHandlerOptions) {
  /** Handles messages. All other packets are left to the broker, unless MQTT forbids them. */
  function takePacket(session: Session, packet: Packet): boolean {
    const { firstByte, body } = packet
    const type = typeOf(firstByte)
    try {
      if (type === PUBREL) session.unreleased.delete(readPacketId(body))
      if (type === SUBSCRIBE || type === UNSUBSCRIBE) checkFilters(body, type === SUBSCRIBE)
      if (type !== PUBLISH) return false
      takeMessage(session, packet, readPublish(firstByte, body))
    } catch (err) {
      session.connection.release(packet.budgetBytes)
      session.connection.destroy(err as Error)
    }
    return true
  }

  function takeMessage(session: Session, { body, budgetBytes, leftOut }: Packet, published: PublishFields): void {
    const { connection } = session
    const { qos, ...message } = published
    const isRepeated = qos === 2 && !noteUnreleased(session, message.messageId!)
    const handle = isRepeated ? async () => true : handlerOf(session, { ...message, leftOut })
    session.tail = inTurn(session, handle, budgetBytes).then(async (isHandled) => {
      releaseBuffer(body)
      if (!isHandled) connection.destroy(new Error(NOT_STORED))
      else if (qos > 0 && !connection.destroyed && !connection.write(publishAck(qos as 1 | 2, message.messageId!)))
        await connection.drained(READ_LIMIT_MS)
    })
  }

  /** False if the client has sent this message before, and has not released it yet (MQTT 3.1.1, 4.3.3). */
  function noteUnreleased({ unreleased }: Session, messageId: number): boolean {
    if (unreleased.has(messageId)) return false
    if (unreleased.size >= MAX_UNRELEASED) throw new ProtocolError('too many messages without PUBREL')
    unreleased.add(messageId)
    return true
  }

  /** Handles the will of a client that has disconnected. */
  const takeWill = (session: Session, message: Omit<Message, 'arrivedAt'>): Promise<boolean> =>
    inTurn(session, handlerOf(session, message), 0)

  function handlerOf(session: Session, packet: Omit<Message, 'arrivedAt'>): () => Promise<boolean> {
    const message = { ...packet, arrivedAt: session.nextArrival() }
    // A message without an id has QoS 0 or is a will, and its client does not send it again.
    const mayBeLost = message.messageId === undefined
    return async () => {
      // The client has disconnected while the message waited, and will send it again.
      if (session.connection.destroyed && !mayBeLost) return false
      return (await receive(session.sandbox, message, publisherFor(session))) || mayBeLost
    }
  }

  /** Handles the messages of a client in order. True when the message may be acknowledged. */
  function inTurn(session: Session, handle: () => Promise<boolean>, budgetBytes: number): Promise<boolean> {
    const turn = session.tail
      .then(handle)
      .catch((err) => {
        log.error({ err }, 'MQTT message handling failed')
        return false
      })
      .finally(() => session.connection.release(budgetBytes))
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

  return { takePacket, takeWill }
}
