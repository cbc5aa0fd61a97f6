import { LIMITS, LIVE_EVENTS } from '@storey/contract'
import { printableJson } from '@storey/contract/printable'
import { type DeliveryRecord, type PlatformClient, StoreyError, UnreachableError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import type { Output } from '../../output/output.ts'
import { safeText } from '../../output/safe-text.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { eventLine } from './event-line.ts'
import type { LogsOptions } from './listen-options.ts'
import { followEvents } from './live-feed.ts'
import { reportGap } from './report-gap.ts'

const POLL_MS = 2000
const SHOWN_BEFORE = 20
const MAX_LISTED = LIMITS.webhook.attemptsListed

interface Delivery extends DeliveryRecord {
  webhookId: string
  url: string
}

/** The last attempts of a webhook. */
interface Listed {
  webhookId: string
  url: string
  deliveries: Delivery[]
}

interface News {
  /** Attempts that the previous poll did not list, oldest first. */
  found: Delivery[]
  /** The webhooks that may have had more attempts since the previous poll than the service lists. */
  incomplete: Listed[]
}

/** Prints the last delivery attempts of all webhooks. With `follow`, it also prints new attempts and live events. */
export async function followLogs(context: Context, { sandbox, follow }: LogsOptions): Promise<void> {
  const { out, clock } = context
  const target = await targetSandbox(context, sandbox)
  const platform = await context.platform(target.apiUrl, target.token)
  const buildingId = await buildingOf(target, platform)
  let shown = new Set<string>()
  const fresh = async (): Promise<News> => {
    const listed = await deliveriesOf(platform)
    const all = listed.flatMap(({ deliveries }) => deliveries).sort(byTime)
    const isNew = (each: Delivery) => !shown.has(keyOf(each))
    const isIncomplete = ({ deliveries }: Listed) => deliveries.length >= MAX_LISTED && deliveries.every(isNew)
    const news = { found: all.filter(isNew), incomplete: listed.filter(isIncomplete) }
    shown = new Set(all.map(keyOf))
    return news
  }
  for (const each of (await fresh()).found.slice(-SHOWN_BEFORE)) print(out, each)
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
      const { found, incomplete } = await fresh().catch(orNone)
      for (const webhook of incomplete) reportMissing(out, webhook)
      for (const each of found) print(out, each)
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

async function deliveriesOf({ webhooks }: PlatformClient): Promise<Listed[]> {
  const all: Listed[] = []
  for await (const { id, url } of webhooks.listAll()) {
    const { data } = await webhooks.deliveries(id).catch((error) => {
      // The webhook was deleted after it was listed.
      if (error instanceof StoreyError && error.status === 404) return { data: [] }
      throw error
    })
    all.push({ webhookId: id, url, deliveries: data.map((each) => ({ ...each, webhookId: id, url })) })
  }
  return all
}

/** After a temporary failure, returns no attempts: the next poll returns those that this poll has missed. */
function orNone(error: unknown): News {
  const isTemporary = error instanceof UnreachableError || (error instanceof StoreyError && error.status >= 429)
  if (!isTemporary) throw error
  return { found: [], incomplete: [] }
}

function reportMissing(out: Output, { webhookId, url }: Listed): void {
  const detail = `Earlier attempts of webhook ${webhookId} (${url}) may be missing: the service lists only the last ${MAX_LISTED}.`
  reportGap(out, 'attempts_not_listed', detail, { webhookId, url })
}

const byTime = (a: Delivery, b: Delivery) => Date.parse(a.attemptedAt) - Date.parse(b.attemptedAt)

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
