import { LIVE_NAMESPACE } from '../wire-values.ts'
import { openChannel } from './channel.ts'
import { joinChannel } from './join-channel.ts'
import { Listeners } from './listeners.ts'
import type { LiveConnection, LiveMeta, LiveOptions } from './live-connection.ts'
import { LIVE_EVENT_NAMES } from './live-events.ts'

/**
 * Follows a building on the live channel.
 *
 * @stable
 */
export function connectLive({ url, credential, buildingId, signal }: LiveOptions): LiveConnection {
  const events = new Map(LIVE_EVENT_NAMES.map((name) => [name, new Listeners<[unknown, LiveMeta]>()]))
  const snapshots = new Listeners<[]>()
  let last: number | undefined

  const channel = openChannel({
    ...{ namespace: LIVE_NAMESPACE, url, credential, signal },
    listen(socket) {
      for (const [name, listeners] of events) {
        socket.on(name, (fields: unknown, meta: LiveMeta) => {
          last = meta.sequence
          listeners.emit(fields, meta)
        })
      }
    },
    async join(socket) {
      const joined = await joinChannel(socket, buildingId, last)
      if (!joined.ok) return joined
      last = Math.max(joined.sequence, joined.isNew ? 0 : (last ?? 0))
      return joined.snapshotRequired ? { ok: true, onJoined: () => snapshots.emit() } : { ok: true }
    },
  })

  return {
    buildingId,
    get status() {
      return channel.status
    },
    ready: channel.ready,
    on: (kind, handler) => events.get(kind)!.add(handler as (event: unknown, meta: LiveMeta) => void),
    onStatus: channel.onStatus,
    onSnapshotRequired: (handler) => snapshots.add(handler),
    close: channel.close,
  }
}
