import { releaseBuffer } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { DirectPublishers } from './direct-publishers.ts'
import { PINGREQ, PUBLISH, PUBREL, SUBSCRIBE, typeOf, UNSUBSCRIBE } from './framing.ts'
import { checkFilters, ProtocolError, readPacketId } from './protocol-checks.ts'
import { type PublishFields, publishAck, readPublish } from './publish-packet.ts'
import type { Message, PublishError, Receive } from './receive.ts'
import type { Session, Sessions } from './sessions.ts'
import type { MqttOutcome } from './tally.ts'
import type { Packet } from './throttled-socket.ts'
import { matches } from './topics.ts'

export interface MessageHandlerOptions {
  sessions: Sessions
  receive: Receive
  direct: Pick<DirectPublishers, 'handled' | 'interrupted'>
  log: Log
}

/** A client that reads nothing for this long is disconnected. */
export const READ_LIMIT_MS = 10_000
/** A subscriber that has more unread bytes than this gets no further errors. */
const MAX_UNREAD_BYTES = 1024 * 1024
/** A client that leaves more messages with QoS 2 unreleased than this is disconnected. */
const MAX_UNRELEASED = 1_000

export const NOT_STORED = 'the message could not be stored'

/** Handles the messages of the embedded broker's clients. */
export function createMessageHandler({ sessions, receive, direct, log }: MessageHandlerOptions) {
  /**
   * Handles a packet that is a message, and returns true. Returns false for any other packet, which the broker then
   * handles. A packet that MQTT forbids ends the connection; the result is then true.
   */
  function takePacket(session: Session, packet: Packet): boolean {
    const { firstByte, body } = packet
    const type = typeOf(firstByte)
    try {
      if (type === PUBREL) session.unreleased.delete(readPacketId(body))
      if (type === SUBSCRIBE || type === UNSUBSCRIBE) checkFilters(body, type === SUBSCRIBE)
      if (type !== PUBLISH && type !== PINGREQ) direct.interrupted(session)
      if (type !== PUBLISH) return false
      takeMessage(session, packet, readPublish(firstByte, body))
    } catch (err) {
      session.connection.release(packet.budgetBytes)
      session.connection.destroy(err as Error)
    }
    return true
  }

  function takeMessage(session: Session, packet: Packet, published: PublishFields): void {
    const { connection } = session
    const { firstByte, body, budgetBytes, leftOut } = packet
    const { qos, ...message } = published
    const isRepeated = qos === 2 && !noteUnreleased(session, message.messageId!)
    const handle = isRepeated ? async () => 'ignored' as const : handlerOf(session, { ...message, leftOut })
    session.tail = inTurn(session, handle, budgetBytes).then(async (outcome) => {
      releaseBuffer(body)
      if (outcome === 'unstored') connection.destroy(new Error(NOT_STORED))
      else if (qos > 0 && !connection.destroyed && !connection.write(publishAck(qos as 1 | 2, message.messageId!)))
        await connection.drained(READ_LIMIT_MS)
      direct.handled(session, { firstByte, topic: message.topic, bytes: budgetBytes + leftOut, outcome })
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
  const takeWill = async (session: Session, message: Omit<Message, 'arrivedAt'>): Promise<boolean> =>
    (await inTurn(session, handlerOf(session, message), 0)) !== 'unstored'

  function handlerOf(session: Session, packet: Omit<Message, 'arrivedAt'>): () => Promise<MqttOutcome> {
    const message = { ...packet, arrivedAt: session.nextArrival() }
    // A message without an id has QoS 0 or is a will, and its client does not send it again.
    const mayBeLost = message.messageId === undefined
    return async () => {
      // The client has disconnected while the message waited, and will send it again.
      if (session.connection.destroyed && !mayBeLost) return 'unstored'
      const outcome = await receive(session.sandbox, message, publisherFor(session))
      return mayBeLost && outcome === 'unstored' ? 'ignored' : outcome
    }
  }

  /**
   * Handles a message after the client's earlier messages. The message may be acknowledged unless the outcome is
   * `unstored`.
   */
  function inTurn(session: Session, handle: () => Promise<MqttOutcome>, budgetBytes: number): Promise<MqttOutcome> {
    const turn = session.tail
      .then(handle)
      .catch((err): MqttOutcome => {
        log.error({ err }, 'MQTT message handling failed')
        return 'unstored'
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
