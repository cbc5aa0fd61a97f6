import {
  CHANGED,
  CHANGES_NAMESPACE,
  type Changed,
  type ChangeKind,
  LIVE_NAMESPACE,
  type LiveEvent,
  type LiveMeta,
} from '@storey/contract'

/**
 * An event of `/buildings` as Socket.IO writes it: the name, the fields as JSON, the sequence number, and the number of
 * skipped events unless it is 0.
 */
export function eventMessage(name: LiveEvent, fields: string, { sequence, skipped }: LiveMeta): string {
  const meta = skipped ? `{"sequence":${sequence},"skipped":${skipped}}` : `{"sequence":${sequence}}`
  return `2${LIVE_NAMESPACE},["${name}",${fields},${meta}]`
}

/** An event of `/changes` as Socket.IO writes it. */
export function changeMessage(buildingId: string, kinds: ChangeKind[], sequence: number): string {
  return `2${CHANGES_NAMESPACE},${JSON.stringify([CHANGED, { buildingId, kinds } satisfies Changed, { sequence }])}`
}
