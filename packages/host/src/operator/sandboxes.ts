import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, problems } from '@storey/contract'
import { StartupError } from '@storey/kit/startup-error'
import {
  CONTROL_SERVER,
  deleteByOperator,
  extendByOperator,
  findByName,
  findSandbox,
  listSandboxes,
  refuseForeign,
  restoreByOperator,
  resumeSandbox,
  type StopAnswer,
  suspendSandbox,
} from '@storey/provisioning/operator'
import { type Arguments, needed, UsageError, wholeNumber } from './arguments.ts'
import type { Command, CommandDeps } from './command.ts'
import { lines } from './lines.ts'
import { adopt, move } from './move-sandbox.ts'

type Row = Awaited<ReturnType<typeof listSandboxes>>[number]

const SANDBOX = 'the id or slug of a sandbox'
const MAX_DAYS = 365
const MAX_REASON = 200
const MAX_LISTED = 1_000_000
const REMOVAL_LIMIT_MS = 60_000

const target = ({ subject }: Arguments) => needed(subject, SANDBOX)
const nameOf = ({ id, slug }: Pick<Row, 'id' | 'slug'>) => `${slug} (${id})`

function statusOf(row: Row): string {
  if (row.removingAt) return 'removing'
  if (row.expiredAt) return 'expired'
  return row.suspendedAt ? 'suspended' : row.status
}

const list: Command = {
  options: ['org', 'limit'],
  async run({ control, expiryGraceMs }, { options }) {
    const limit = options.limit === undefined ? undefined : wholeNumber('--limit', options.limit, 1, MAX_LISTED)
    const rows = await listSandboxes(control, { organizationId: options.org, limit })
    const keptUntil = ({ expiredAt, keptUntil }: Row) =>
      expiredAt && new Date(Math.max(expiredAt.getTime() + expiryGraceMs, keptUntil?.getTime() ?? 0)).toISOString()
    return {
      text: lines(rows, (row) => [
        row.id,
        row.slug,
        statusOf(row),
        row.developerId,
        row.expiresAt.toISOString(),
        row.name,
        ...(row.expiredAt ? [`kept until ${keptUntil(row)}`] : []),
      ]),
      json: rows.map((row) => ({
        ...{ id: row.id, slug: row.slug, name: row.name, status: statusOf(row), failureReason: row.failureReason },
        ...{ developerId: row.developerId, organizationId: row.organizationId, tenantId: row.tenantId },
        ...{ createdAt: row.createdAt, expiresAt: row.expiresAt, keptUntil: keptUntil(row) },
        ...{ suspendedAt: row.suspendedAt, suspensionReason: row.suspensionReason, storageBytes: row.storageBytes },
        ...{ serverId: row.serverId, schemaVersion: row.schemaVersion, migrationFailure: row.migrationFailure },
      })),
    }
  },
}

/** Stops the stack, which only a running service can do. Returns whether the stack was running. */
async function stopStack({ service }: CommandDeps, sandboxId: string): Promise<boolean> {
  if (!(await service.isRunning())) return false
  return (await service.ask<StopAnswer>({ kind: 'stop_stack', sandboxId })).wasRunning
}

const stop: Command = {
  argument: SANDBOX,
  async run(deps, args) {
    const row = await findByName(deps.control, target(args))
    if (!row) throw problems.notFound(`sandbox: ${args.subject}`)
    const isServiceRunning = await deps.service.isRunning()
    const wasRunning = await stopStack(deps, row.id)
    await deps.record(deps.control, { command: 'sandbox stop', subject: row.id, details: { wasRunning } })
    const text = wasRunning
      ? `Stopped the stack of ${nameOf(row)}. The next call starts it.`
      : isServiceRunning
        ? `No stack of ${nameOf(row)} was running.`
        : 'The service is not running, so no stack was stopped.'
    return { text, json: { id: row.id, slug: row.slug, wasRunning } }
  },
}

const suspend: Command = {
  argument: SANDBOX,
  options: ['reason'],
  async run(deps, args) {
    const { row, isChanged } = await suspendSandbox(deps, target(args), reasonOf(args.options.reason))
    const wasRunning = await stopStack(deps, row.id)
    const text = isChanged
      ? `Suspended ${nameOf(row)}. Callers get 403 SANDBOX_SUSPENDED until you resume it.`
      : `${nameOf(row)} was suspended already, since ${row.suspendedAt?.toISOString()}.`
    return { text, json: { id: row.id, slug: row.slug, isChanged, wasRunning } }
  },
}

function reasonOf(text: string | undefined): string | null {
  if (text === undefined) return null
  const reason = text.trim()
  if (reason === '' || reason.length > MAX_REASON || /\p{Cc}/u.test(reason)) {
    throw new UsageError(`--reason must have 1 to ${MAX_REASON} characters, and no control characters`)
  }
  return reason
}

const resume: Command = {
  argument: SANDBOX,
  async run(deps, args) {
    const { row, isChanged } = await resumeSandbox(deps, target(args))
    const text = isChanged
      ? `Resumed ${nameOf(row)}. The next call starts its stack.`
      : `${nameOf(row)} was not suspended.`
    return { text, json: { id: row.id, slug: row.slug, isChanged } }
  },
}

const extend: Command = {
  argument: SANDBOX,
  options: ['days', 'until'],
  async run(deps, args) {
    const { row, expiresAt, isChanged } = await extendByOperator(deps, target(args), extensionOf(args.options))
    const text = isChanged
      ? `Extended ${nameOf(row)}: it expires at ${expiresAt.toISOString()}, no longer at ${row.expiresAt.toISOString()}.`
      : `${nameOf(row)} expires at ${expiresAt.toISOString()} already.`
    return { text, json: { id: row.id, slug: row.slug, expiresAt, isChanged } }
  },
}

function extensionOf({ days, until }: Arguments['options']): { days: number } | { until: Date } {
  if ((days === undefined) === (until === undefined)) throw new UsageError('give either --days or --until')
  if (days !== undefined) return { days: wholeNumber('--days', days, 1, MAX_DAYS) }
  const time = new Date(/^\d{4}-\d{2}-\d{2}(T.*(Z|[+-]\d{2}:\d{2}))?$/.test(until!) ? until! : Number.NaN)
  const latest = Date.now() + MAX_DAYS * 86_400_000
  if (Number.isNaN(time.getTime()) || time.getTime() > latest) {
    throw new UsageError(
      `--until must be a date or a time with an offset, such as 2030-01-31 or 2030-01-31T18:00:00Z, within ${MAX_DAYS} days, not ${until}`,
    )
  }
  return { until: time }
}

const remove: Command = {
  argument: SANDBOX,
  options: ['yes'],
  async run(deps, args) {
    const name = target(args)
    if (!args.options.yes) {
      throw new UsageError('--yes is missing: sandbox delete removes all data of the sandbox, and nothing restores it')
    }
    await checkServerOf(deps, name)
    const row = await deleteByOperator(deps, name)
    const isRemoved = (await deps.service.isRunning()) && (await untilRemoved(deps, row.id))
    const text = isRemoved
      ? `Deleted ${nameOf(row)} and all its data.`
      : `Deleted ${nameOf(row)}: nobody can use it any more. Its data is removed when the service starts. ` +
        'If it starts more than three minutes from now, the database is quarantined instead.'
    return { text, json: { id: row.id, slug: row.slug, isRemoved } }
  },
}

/**
 * Throws if another control database uses the server of the sandbox. Without this check the removal would be accepted,
 * and the service, which cannot drop the database now, would drop it as soon as it may use the server again.
 */
async function checkServerOf({ control, openServers }: CommandDeps, name: string): Promise<void> {
  const serverId = (await findByName(control, name))?.serverId ?? CONTROL_SERVER
  if (serverId !== CONTROL_SERVER) await refuseForeign(await openServers(), serverId)
}

async function untilRemoved({ control }: CommandDeps, id: string): Promise<boolean> {
  for (const deadline = performance.now() + REMOVAL_LIMIT_MS; performance.now() < deadline; await sleep(200)) {
    if (!(await findSandbox(control, id))) return true
  }
  throw new StartupError(
    `Nobody can use the sandbox ${id} any more, but its data is still being removed: see the log of the service.`,
  )
}

const restore: Command = {
  argument: SANDBOX,
  options: ['days'],
  async run(deps, args) {
    const name = target(args)
    const { min, max } = LIMITS.sandbox.ttlDays
    const days = args.options.days === undefined ? undefined : wholeNumber('--days', args.options.days, min, max)
    const { id, slug, status, expiresAt } = await restoreByOperator(deps, name, days)
    return { text: [id, slug, status, expiresAt.toISOString()].join('\t'), json: { id, slug, status, expiresAt } }
  },
}

export const SANDBOX_COMMANDS: Record<string, Command> = {
  'sandbox list': list,
  'sandbox stop': stop,
  'sandbox suspend': suspend,
  'sandbox resume': resume,
  'sandbox extend': extend,
  'sandbox delete': remove,
  'sandbox move': move,
  'sandbox adopt': adopt,
  'sandbox restore': restore,
}
