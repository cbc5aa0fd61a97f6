import { setTimeout as sleep } from 'node:timers/promises'
import { BUS_PREFIX, LIMITS, Problem } from '@storey/contract'
import { inSpan, type Span } from '@storey/kit/tracing'
import type { SandboxCache } from '../gateway/index.ts'
import { boundRefusal } from './bound-refusal.ts'
import { type Deliver, type Outcome, refused } from './deliver.ts'
import { digestOf } from './failures.ts'
import { createRefusalDelay } from './refusal-delay.ts'
import type { MqttOutcome, Tally } from './tally.ts'
import { errorsTopic, isDeviceTopic, readTelemetryTopic } from './topics.ts'

export interface Message {
  topic: string
  payload: Buffer
  /** When this service received the message, from a client or from the external broker. */
  arrivedAt: Date
  /** How many bytes of a payload above the limit were discarded already. */
  leftOut?: number
  /** Absent at QoS 0, and for a will. */
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

/**
 * Publishes a text to the subscribers of a topic in the sandbox, and returns their number. An external broker counts as
 * one subscriber.
 */
export type PublishError = (topic: string, text: string) => number

/**
 * A message on a device topic is ignored, and parsed only to log whether it is readable. A message above this size is
 * logged as unreadable, because parsing it would block the event loop.
 */
const MAX_DEVICE_BYTES = 256 * 1024

const MESSAGE = {
  name: 'process telemetry',
  kind: 'consumer',
  attributes: {
    'messaging.system': 'mqtt',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.template': `${BUS_PREFIX}/{organization}/{site}/{building}/telemetry`,
  },
} as const

/**
 * Returns the function that handles a message of a sandbox. The message may be acknowledged unless the outcome is
 * `unstored`.
 */
export function createReceive({ sandboxCache, deliver, tally }: ReceiveOptions) {
  const waitFor = createRefusalDelay()

  async function outcomeOf({ slug, organizationId }: Sender, { topic, payload, arrivedAt, leftOut = 0 }: Message) {
    const named = readTelemetryTopic(topic)
    if (named?.organizationId !== organizationId) {
      const detail = 'This client may publish only to the telemetry topic of its sandbox'
      return refused(new Problem('PERMISSION_DENIED', detail))
    }
    if (payload.length + leftOut > LIMITS.bodyBytes)
      return refused(new Problem('BODY_TOO_LARGE', `The body is larger than ${LIMITS.bodyBytes / 1024 / 1024} MB`))
    return await deliver({ slug, topic, siteId: named.siteId, buildingId: named.buildingId, payload, arrivedAt })
  }

  /** Returns how many subscribers got the refusal. The message counts as handled even if there is no subscriber. */
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
    // A payload above the limit may be incomplete.
    const sha256 = bytes > LIMITS.bodyBytes ? null : await digestOf(payload)
    const about = { topic, messageId, bytes, sha256 }
    try {
      return publishError(
        errorsTopic({ organizationId, siteId, buildingId }),
        boundRefusal({ ...reported.refusal, message: about }),
      )
    } catch (err) {
      tally.warn(`${slug} errors`, { slug, err }, 'could not publish MQTT error')
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

  return async function receive(sender: Sender, message: Message, publishError: PublishError): Promise<MqttOutcome> {
    const { slug } = sender
    if (isDeviceTopic(message.topic)) {
      tally.count('ignored')
      const isReadable = isJson(message.payload)
      tally.warn(`${slug} devices`, { slug, isReadable }, 'MQTT message on a device topic ignored')
      await delayAcknowledgement(sender, message, 0)
      return 'ignored'
    }
    const outcome = await inSpan(MESSAGE, async (span) => describe(span, message, await outcomeOf(sender, message)))
    tally.count(outcome.kind)
    if (outcome.kind === 'refused' || outcome.kind === 'deadLetter') {
      // The detail may quote the message, so it is not logged.
      const { code, requestId } = outcome.refusal
      if (outcome.kind === 'refused')
        tally.warn(slug, { slug, code, requestId, refused: tally.counts.refused }, 'MQTT message refused')
      await delayAcknowledgement(sender, message, await publishRefusal(sender, message, outcome, publishError))
    } else if (outcome.kind === 'unstored') {
      tally.warn(`${slug} unstored`, { slug, reason: outcome.reason }, 'MQTT message not stored')
    }
    return outcome.kind
  }
}

/** Adds the outcome of the message to its span. */
function describe(span: Span | undefined, { payload, leftOut = 0 }: Message, outcome: Outcome): Outcome {
  span?.set({ 'messaging.message.body.size': payload.length + leftOut, 'storey.mqtt.outcome': outcome.kind })
  if (outcome.kind === 'unstored' || outcome.kind === 'deadLetter') span?.fail(outcome.kind)
  return outcome
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
