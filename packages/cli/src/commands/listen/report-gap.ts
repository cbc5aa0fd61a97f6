import { printableJson } from '@storey/contract/printable'
import type { Output } from '../../output/output.ts'
import { safeText } from '../../output/safe-text.ts'

/** Why events or attempts are missing in the output. */
export type GapReason = 'slow_receiver' | 'slow_connection' | 'interruption' | 'attempts_not_listed'

/** Reports on stderr that events or attempts are missing, as a sentence or, with --format=json, as a line of JSON. */
export function reportGap(out: Output, reason: GapReason, detail: string, members: object = {}): void {
  if (out.format === 'json') out.raw(`${printableJson({ kind: 'gap', reason, detail, ...members })}\n`)
  else out.note(safeText(detail))
}
