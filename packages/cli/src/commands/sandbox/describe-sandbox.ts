import type { SandboxRecord } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import { nameValueLines } from '../../output/table.ts'

const MARKS = {
  ready: ['✓', 'green'],
  provisioning: ['…', 'yellow'],
  failed: ['✗', 'red'],
  suspended: ['✗', 'red'],
} as const

/** The mark of a status that this version of the tool does not know. */
const UNKNOWN_MARK = ['…', 'yellow'] as const

export function describeSandbox({ out, clock }: Context, record: SandboxRecord): string {
  const status = statusOf(record)
  const [mark, ink] = MARKS[status] ?? UNKNOWN_MARK
  const until = record.expiresAt ? `${whenOf(record.expiresAt)} (${untilOf(record.expiresAt, clock.now())})` : 'unknown'
  const sign = out.style.unicode ? `${out.paint(ink, mark)} ` : ''
  const facts: [string, string][] = [
    ['id', record.sandboxId],
    ['address', record.apiUrl],
    ...(!record.consoleUrl ? [] : [['console', `svc open ${record.slug ?? record.sandboxId}`] as [string, string]]),
    ...(record.buildingId ? [['building', record.buildingId] as [string, string]] : []),
    ['shape', shapeOf(record)],
    ['seed', record.seed],
    ...(record.fingerprint ? [['fingerprint', record.fingerprint] as [string, string]] : []),
    ['expires', until],
    ...storageOf(record),
    ['extensions', `${record.extensionsRemaining ?? 'unknown'} left`],
    ...(record.suspension?.reason ? [['reason', safeText(record.suspension.reason)] as [string, string]] : []),
  ]
  const name = out.paint('bold', safeText(record.name ?? record.sandboxId))
  const title = `${sign}${name} ${WORDS[status] ?? `is ${safeText(status)}`}.`
  return [title, '', ...nameValueLines(facts, (text) => out.paint('dim', text))].join('\n')
}

const WORDS = {
  ready: 'is ready',
  provisioning: 'is not ready yet',
  failed: 'has failed',
  suspended: 'is suspended by the operator',
} as const

/** The status of a sandbox; `suspended` if the operator has suspended it. */
export const statusOf = ({ status, suspension }: SandboxRecord): SandboxRecord['status'] | 'suspended' =>
  suspension ? 'suspended' : status

export function shapeOf({ buildingType, storeys, areaSqm }: SandboxRecord): string {
  if (buildingType === undefined) return 'unknown'
  return `${buildingType}, ${storeys} ${storeys === 1 ? 'storey' : 'storeys'}, ${Math.round(areaSqm)} m²`
}

/** The used storage. An older service does not report it. */
function storageOf({ storage }: SandboxRecord): [string, string][] {
  if (storage?.usedMb == null) return []
  return [['storage', storage.limitMb === null ? `${storage.usedMb} MB` : `${storage.usedMb} of ${storage.limitMb} MB`]]
}

/** Formats a time to the minute. UTC makes the text the same on every machine. */
export function whenOf(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`
}

export function untilOf(instant: string, now: number): string {
  const minutes = Math.round((Date.parse(instant) - now) / 60_000)
  if (Number.isNaN(minutes)) return 'unknown'
  if (minutes <= 0) return 'expired'
  if (minutes < 120) return `in ${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `in ${hours} hours` : `in ${Math.round(hours / 24)} days`
}
