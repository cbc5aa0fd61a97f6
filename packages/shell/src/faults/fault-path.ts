import type { FaultRecord } from '@storey/sdk'

interface ShownFault extends Pick<FaultRecord, 'severity' | 'state'> {
  /** As the table shows them. */
  title: string
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
