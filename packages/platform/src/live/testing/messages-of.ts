import type { Socket } from 'socket.io'
import type { Piece } from '../sequence-log.ts'

/** The messages in a piece, as a socket with the transport `polling` gets them. */
export function messagesOf({ broadcast, from }: Piece): string[] {
  const poll = { transport: { name: 'polling' } } as Socket['conn']
  return broadcast.packetsFor(poll, from).map(([message]) => message)
}
