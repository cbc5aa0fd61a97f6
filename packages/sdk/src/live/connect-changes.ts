import type { JoinChangesAnswer } from '@storey/contract'
import { CHANGED, CHANGES_NAMESPACE } from '../wire-values.ts'
import type { ChangeDetails, ChangeFeed, ChangeKind } from './change-feed.ts'
import { openChannel } from './channel.ts'
import { sendCommand } from './join-channel.ts'
import { Listeners } from './listeners.ts'
import type { LiveOptions } from './live-connection.ts'

/**
 * Reports which kinds of data of a building change, so that a client need not poll. A change feed and a live connection
 * that get the same credential object share one WebSocket.
 *
 * @stable
 */
export function connectChanges({ url, credential, buildingId, signal }: LiveOptions): ChangeFeed {
  const listeners = new Listeners<[readonly ChangeKind[], ChangeDetails]>()
  let last: number | undefined

  const channel = openChannel({
    ...{ namespace: CHANGES_NAMESPACE, url, credential, signal },
    listen(socket) {
      socket.on(CHANGED, ({ kinds }: { kinds: ChangeKind[] }, { sequence }: { sequence: number }) => {
        last = sequence
        listeners.emit(kinds, {})
      })
    },
    async join(socket) {
      const before = last
      const after = before === undefined ? {} : { after: before }
      const joined = await sendCommand<JoinChangesAnswer>(socket, 'join', { buildingId, ...after })
      if (!joined.ok) return joined
      const { kinds, sequence, revision } = joined
      // If an event arrived before the acknowledgement, `last` is already newer than `sequence`.
      if (last === before) last = sequence
      return kinds.length > 0 ? { ok: true, onJoined: () => listeners.emit(kinds, { revision }) } : { ok: true }
    },
  })

  return {
    buildingId,
    get status() {
      return channel.status
    },
    ready: channel.ready,
    onChanged: (handler) => listeners.add(handler),
    onStatus: channel.onStatus,
    close: channel.close,
  }
}
