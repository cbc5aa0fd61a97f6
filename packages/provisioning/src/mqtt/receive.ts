import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, Problem } from '@storey/contract'
import type { SandboxCache } from '../gateway/index.ts'
import { boundRefusal } from './bound-refusal.ts'
import { type Deliver, type Outcome, refused } from './deliver.ts'
import { digestOf } from './failures.ts'
import { createRefusalDelay } from './refusal-delay.ts'
import type { Tally } from './tally.ts'
import { errorsTopic, isDeviceTopic, readTelemetryTopic } from './topics.ts'

export interface Message {
  topic: string
  payload: Buffer
  /** How much of a payload above the limit was thrown away already. */
  leftOut?: number
  /** Absent at QoS 0. */
  messageId: number | undefined
}

export interface Sender {
  slug: string
  organizationId: string
}

export interface ReceiveOptions {
  sandboxCache: Pick<SandboxCache, 'find'>
  deliver: Deliver
  tally: Tally
}

type Reported = Extract<Outcome, { kind: 'refused' | 'deadLetter' }>

/** Sends a text on a topic to whoever of the sandbox reads it, and tells how many those are. */
export type PublishError = (topic: string, text: string) => number

/** What a device sends is parsed and let go. Above this it is not even parsed, since that would hold up everyone. */
const MAX_DEVICE_BYTES = 256 * 1024

/** What becomes of one message of a sandbox. True when it may be acknowledged: it is stored, kept, or never will be. */
export function createReceive({ sandboxCache, deliver, tally }: ReceiveOptions) {
  const waitFor = createRefusalDelay()

  async function outcomeOf({ slug, organizationId }: Sender, { topic, payload, leftOut = 0 }: Message) {
    const named = readTelemetryTopic(topic)
    if (named?.organizationId !== organizationId) {
      return refused(new Problem('PERMISSION_DENIED', 'This client may publish to the telemetry topic of its sandbox'))
    }
    if (payload.length + leftOut > LIMITS.bodyBytes)
      return refused(new Problem('BODY_TOO_LARGE', 'The body is larger than 10 MB'))
    return await deliver({ slug, topic, siteId: named.siteId, buildingId: named.buildingId, payload })
  }

  /** How many heard of it; a message is dealt with whether or not anybody does. */
  async function publishRefusal(
    sender: Sender,
    message: Message,
    reported: Reported,
    publishError: PublishError,
  ): Promise<number> {
    const { organizationId, slug } = sender
    const { siteId, buildingId } = (await sandboxCache.find(slug).catch(() => undefined)) ?? {}
    if (!siteId || !buildingId) return 0
    const { topic, messageId = null, payload, leftOut = 0 } = message
    const bytes = payload.length + leftOut
    // Of one above the limit there may be a part only.
    const sha256 = bytes > LIMITS.bodyBytes ? null : await digestOf(payload)
    const about = { topic, messageId, bytes, sha256 }
    try {
      return publishError(
        errorsTopic({ organizationId, siteId, buildingId }),
        boundRefusal({ ...reported.refusal, message: about }),
      )
    } catch (err) {
      tally.warn(`${slug} errors`, { slug, err }, 'an MQTT error was not published')
      return 0
    }
  }

  async function delayAcknowledgement(
    { slug }: Sender,
    { payload, leftOut = 0 }: Message,
    recipients: number,
  ): Promise<void> {
    const waitMs = waitFor(slug, payload.length + leftOut, recipients)
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
  }

  return async function receive(sender: Sender, message: Message, publishError: PublishError): Promise<boolean> {
    const { slug } = sender
    if (isDeviceTopic(message.topic)) {
      tally.count('ignored')
      const isReadable = isJson(message.payload)
      tally.warn(`${slug} devices`, { slug, isReadable }, 'a message came on a device topic, and is not ingested')
      await delayAcknowledgement(sender, message, 0)
      return true
    }
    const outcome = await outcomeOf(sender, message)
    tally.count(outcome.kind)
    if (outcome.kind === 'refused' || outcome.kind === 'deadLetter') {
      // The detail may quote the message, and stays out of the log.
      const { code, requestId } = outcome.refusal
      if (outcome.kind === 'refused')
        tally.warn(slug, { slug, code, requestId, refused: tally.counts.refused }, 'an MQTT message was refused')
      await delayAcknowledgement(sender, message, await publishRefusal(sender, message, outcome, publishError))
    } else if (outcome.kind === 'unstored') {
      tally.warn(`${slug} unstored`, { slug, reason: outcome.reason }, 'an MQTT message could not be stored')
    }
    return outcome.kind !== 'unstored'
  }
}

export type Receive = ReturnType<typeof createReceive>

function isJson(payload: Buffer): boolean {
  if (payload.length > MAX_DEVICE_BYTES) return false
  try {
    JSON.parse(payload.toString('utf8'))
    return true
  } catch {
    return false
  }
}
