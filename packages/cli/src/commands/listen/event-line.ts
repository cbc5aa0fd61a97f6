import type { Output } from '../../output/output.ts'
import { safeText } from '../../output/safe-text.ts'
import type { SeenEvent } from './live-feed.ts'

const SHOWN = 2

/** An event on one line: its time, its name and its main fields. */
export function eventLine(out: Output, { event, data, timestamp }: SeenEvent): string {
  const ink = event === 'building.alarm.triggered' ? 'yellow' : 'cyan'
  return `${out.paint('dim', timestamp.slice(11, 19))}  ${out.paint(ink, event)}  ${safeText(summaryOf(data))}`
}

function summaryOf(data: Record<string, unknown>): string {
  const { observations, severity, title, pointId } = data
  if (Array.isArray(observations)) return observed(observations as Observed[])
  if (typeof title === 'string') return [severity, title, pointId].filter(Boolean).join('  ')
  const { buildingId: _, ...rest } = data
  return JSON.stringify(rest)
}

interface Observed {
  pointId: string
  value: string
}

function observed(observations: readonly Observed[]): string {
  const some = observations.slice(0, SHOWN).map(({ pointId, value }) => `${pointId} = ${value}`)
  const more = observations.length - SHOWN
  return some.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
