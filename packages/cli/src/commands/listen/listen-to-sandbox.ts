import { WEBHOOK_EVENTS, type WebhookEvent } from '@storey/contract'
import { printableJson } from '@storey/contract/printable'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { eventLine } from './event-line.ts'
import { type Forwarded, forward, receiverUrl } from './forwarder.ts'
import type { ListenOptions } from './listen-options.ts'
import { listenSecret } from './listen-secret.ts'
import { followEvents, type SeenEvent } from './live-feed.ts'
import { reportGap } from './report-gap.ts'

/**
 * The maximum number of events that may wait for a slow receiver. Further events are dropped, because they would fill
 * the memory.
 */
const MAX_WAITING = 1000

/** Shows events as they happen. With --forward-to, also posts each event to the receiver, one after the other. */
export async function listenToSandbox(context: Context, options: ListenOptions): Promise<void> {
  const { out } = context
  const events = eventsOf(options.events)
  const url = options.forwardTo === undefined ? undefined : receiverUrl(options.forwardTo)
  const target = await targetSandbox(context, options.sandbox)
  const secret = await listenSecret(context, target.apiUrl)
  if (options.printSecret) return out.answer({ secret }, () => secret)
  const buildingId = await buildingOf(target, await context.platform(target.apiUrl, target.token))
  if (url !== undefined) out.note(`Events go to ${safeText(url)}, signed with ${secret}`)

  const waiting: SeenEvent[] = []
  let isSending = false
  let shown = 0
  const feed = followEvents(context, target, { buildingId, events }, (seen) => {
    if (waiting.length >= MAX_WAITING) return reportDropped(seen)
    waiting.push(seen)
    void sendAll()
  })
  await feed.ended

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    for (let seen = waiting.shift(); seen !== undefined && !isDone(); seen = waiting.shift()) {
      show(seen, url === undefined ? undefined : await forward(url, secret, seen, context.clock))
      shown += 1
      if (isDone()) feed.stop()
    }
    isSending = false
  }

  function reportDropped({ event, sequence }: SeenEvent): void {
    const detail = `${event} was dropped, neither shown nor forwarded: the receiver is too slow.`
    reportGap(out, 'slow_receiver', detail, { event, sequence })
  }

  function isDone(): boolean {
    return options.count !== undefined && shown >= options.count
  }

  function show(seen: SeenEvent, forwarded: Forwarded | undefined): void {
    if (out.format === 'json') {
      out.print(printableJson(forwarded === undefined ? seen : { ...seen, forwarded }))
      return
    }
    out.print(eventLine(out, seen))
    if (forwarded !== undefined) out.print(`          ${resultOf(forwarded)}`)
  }

  function resultOf({ httpCode, error, durationMs, idempotencyKey }: Forwarded): string {
    const isGood = httpCode !== null && httpCode >= 200 && httpCode < 300
    const result = out.paint(isGood ? 'green' : 'red', safeText(`${httpCode ?? error}`))
    return `${result}  POST ${safeText(url)}  ${durationMs} ms  ${out.paint('dim', idempotencyKey)}`
  }
}

function eventsOf(names: string | undefined): readonly WebhookEvent[] {
  if (names === undefined) return WEBHOOK_EVENTS
  const requested = [...new Set(names.split(',').map((name) => name.trim()))]
  const wrong = requested.find((name) => !(WEBHOOK_EVENTS as readonly string[]).includes(name))
  if (wrong !== undefined)
    throw wrongUsage(`--events has the unknown event "${wrong}".`, `Use ${WEBHOOK_EVENTS.join(', ')}.`)
  return requested as WebhookEvent[]
}
