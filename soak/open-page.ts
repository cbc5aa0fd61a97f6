import { Agent } from 'node:http'
import { Manager, type Socket } from 'socket.io-client'

/** Resolves every name to loopback, because not every system resolves names below localhost. */
const agent = new Agent({
  lookup: (_name, { all }, found) => {
    if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  },
})

export interface PageOptions {
  apiUrl: string
  token: string
  buildingId: string
  /** The number of the last event that an earlier page received. */
  after?: number | undefined
  /** Called if events are missing. */
  fail(message: string): void
}

/** A page of the console: it follows the events and the changes of a building over one connection. */
export interface Page {
  /** The number of the last event. */
  last(): number | undefined
  /** How many events and notices of changes it has received. */
  received(): { events: number; notices: number }
  isConnected(): boolean
  close(): void
}

/** Opens a page. It resumes after an earlier page, or joins if there is none or if it is too long ago. */
export async function openPage({ apiUrl, token, buildingId, after, fail }: PageOptions): Promise<Page> {
  const manager = new Manager(apiUrl, { agent: agent as never, transports: ['websocket'], reconnection: false })
  const [live, changes] = [
    manager.socket('/buildings', { auth: { token } }),
    manager.socket('/changes', { auth: { token } }),
  ]
  await Promise.all([connected(live), connected(changes)])

  let last = after
  let [events, notices] = [0, 0]
  live.onAny((_event, _fields, { sequence, skipped = 0 }) => {
    if (last !== undefined && sequence !== last + 1 + skipped)
      fail(`the live channel sent event ${sequence} after event ${last}, with ${skipped} skipped`)
    last = sequence
    events++
  })
  changes.on('changed', () => notices++)

  const answer = await ask(live, after === undefined ? 'join' : 'resume', { buildingId, ...(after && { after }) })
  if (answer.code === 'SNAPSHOT_REQUIRED') last = undefined
  const joined = answer.code === 'SNAPSHOT_REQUIRED' ? await ask(live, 'join', { buildingId }) : answer
  const followed = await ask(changes, 'join', { buildingId })
  for (const each of [joined, followed])
    if (!each.ok) throw new Error(`the live channel refused a page: ${JSON.stringify(each)}`)
  return {
    last: () => last,
    received: () => ({ events, notices }),
    isConnected: () => live.connected && changes.connected,
    close() {
      live.disconnect()
      changes.disconnect()
    },
  }
}

interface LiveAnswer {
  ok: boolean
  code?: string
}

const ask = (socket: Socket, command: string, body: object): Promise<LiveAnswer> => socket.emitWithAck(command, body)

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
}
