import type { Clock } from '@storey/kit/clock'
import type { Socket } from 'socket.io'
import type { Caller } from '../caller.ts'
import type { Revocations } from '../http/index.ts'

export interface ExpiredTokensOptions {
  clock: Clock
  revocations: Revocations
  /** Closes a socket; its client needs another token to reconnect. */
  end(socket: Socket): void
}

/** Ends each socket whose token has expired or was revoked. */
export function watchExpiredTokens({ clock, revocations, end }: ExpiredTokensOptions) {
  const callers = new Map<Socket, Caller>()

  function check(socket: Socket, caller: Caller): void {
    if (caller.expiresAt > clock.now() && !revocations.isRevoked(caller)) return
    end(socket)
  }

  function checkAll(): void {
    for (const [socket, caller] of callers) check(socket, caller)
  }

  revocations.onRevoke(checkAll)
  return {
    /** Watches a socket. The first check is immediate, since the token may have expired while it was verified. */
    add(socket: Socket, caller: Caller): void {
      callers.set(socket, caller)
      check(socket, caller)
    },
    remove: (socket: Socket) => void callers.delete(socket),
    checkAll,
  }
}
