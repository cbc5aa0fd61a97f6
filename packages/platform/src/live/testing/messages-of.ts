import type { Socket } from 'socket.io'
import type { Piece } from '../sequence-log.ts'

/** The messages that a socket which polls gets of a piece. */
export function messagesOf({ broadcast, from }: Piece): string[] {
  const poll = { transport: { name: 'polling' } } as Socket['conn']
  return broadcast.packetsFor(poll, from).map(([message]) => message)
}
