import { LIVE_EVENTS } from '@storey/contract'
import { printableJson } from '@storey/contract/printable'
import { type DeliveryRecord, type PlatformClient, StoreyError, UnreachableError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import type { Output } from '../../output/output.ts'
import { safeText } from '../../output/safe-text.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { eventLine } from './event-line.ts'
import type { LogsOptions } from './listen-options.ts'
import { followEvents } from './live-feed.ts'

const POLL_MS = 2000
const SHOWN_BEFORE = 20

interface Delivery extends DeliveryRecord {
  webhookId: string
  url: string
}

/** Prints the last deliveries of all webhooks. With `follow`, it also prints new deliveries and events. */
export async function followLogs(context: Context, { sandbox, follow }: LogsOptions): Promise<void> {
  const { out, clock } = context
  const target = await targetSandbox(context, sandbox)
  const platform = await context.platform(target.apiUrl, target.token)
  const buildingId = await buildingOf(target, platform)
  let shown = new Set<string>()
  const fresh = async () => {
    const listed = await deliveriesOf(platform)
    const found = listed.filter((each) => !shown.has(keyOf(each)))
    shown = new Set(listed.map(keyOf))
    return found
  }
  for (const each of (await fresh()).slice(-SHOWN_BEFORE)) print(out, each)
  if (!follow) {
    if (shown.size === 0) out.note(await noDeliveriesText(platform))
    return
  }
  const feed = followEvents(context, target, { buildingId, events: LIVE_EVENTS }, (seen) =>
    out.print(out.format === 'json' ? printableJson({ kind: 'event', ...seen }) : eventLine(out, seen)),
  )
  let hasEnded = false
  const watch = async () => {
    while (!hasEnded) {
      await clock.sleep(POLL_MS)
      for (const each of await fresh().catch(orNone)) print(out, each)
    }
  }
  await Promise.race([feed.ended, watch()]).finally(() => {
    hasEnded = true
    feed.stop()
  })
}

async function noDeliveriesText({ webhooks }: PlatformClient): Promise<string> {
  const { total } = await webhooks.list({ limit: 1 })
  return total === 0
    ? 'There are no deliveries: the sandbox has no webhook. To see live events, omit --no-follow.'
    : 'There are no deliveries yet: no event was sent to a webhook. A paused webhook gets none.'
}

/** The last deliveries of all webhooks, oldest first. */
async function deliveriesOf({ webhooks }: PlatformClient): Promise<Delivery[]> {
  const all: Delivery[] = []
  for await (const { id, url } of webhooks.listAll()) {
    const { data } = await webhooks.deliveries(id).catch((error) => {
      // The webhook was deleted after it was listed.
      if (error instanceof StoreyError && error.status === 404) return { data: [] }
      throw error
    })
    all.push(...data.map((each) => ({ ...each, webhookId: id, url })))
  }
  return all.sort((a, b) => Date.parse(a.attemptedAt) - Date.parse(b.attemptedAt))
}

/** Returns no deliveries after a temporary failure: the next poll finds them. */
function orNone(error: unknown): Delivery[] {
  const isTemporary = error instanceof UnreachableError || (error instanceof StoreyError && error.status >= 429)
  if (!isTemporary) throw error
  return []
}

const keyOf = ({ deliveryId, attempt }: Delivery) => `${deliveryId} ${attempt}`

function print(out: Output, delivery: Delivery): void {
  out.print(out.format === 'json' ? printableJson({ kind: 'delivery', ...delivery }) : deliveryLine(out, delivery))
}

function deliveryLine(out: Output, delivery: Delivery): string {
  const { attemptedAt, event, status, httpCode, error, attempt, durationMs, url, nextAttemptAt } = delivery
  const result = out.paint(status === 'succeeded' ? 'green' : 'red', safeText(`${httpCode ?? error}`))
  const again = nextAttemptAt === null ? '' : `, next attempt at ${nextAttemptAt.slice(11, 19)}`
  const arrow = out.style.unicode ? '→' : '->'
  return [
    out.paint('dim', safeText(attemptedAt.slice(11, 19))),
    safeText(`${event} ${arrow} ${url}`),
    result,
    safeText(`${durationMs} ms`),
    safeText(`attempt ${attempt} ${status}${again}`),
  ].join('  ')
}
