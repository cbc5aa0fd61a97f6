import type { FaultRecord } from '@storey/sdk'

interface ShownFault extends Pick<FaultRecord, 'severity' | 'state'> {
  /** The title as the table of faults shows it. */
  title: string
  /** The name of the room as the table of faults shows it. */
  room: string | undefined
}

/** The path of the page of faults, with filters that this fault matches. */
export function faultPath({ severity, state, title, room }: ShownFault): string {
  const query = new URLSearchParams({
    ...(state === 'resolved' ? { show: 'past' } : {}),
    severity,
    ...(room === undefined ? {} : { where: room }),
    q: title,
  })
  return `/faults?${query}`
}
