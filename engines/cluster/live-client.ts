import { Agent } from 'node:http'
import { io } from 'socket.io-client'

/** Resolves names below localhost, which not every system does. */
const toLoopback = new Agent({
  lookup: (_name, { all }, found) => {
    if (all) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  },
})

export interface LiveOptions {
  apiUrl: string
  buildingId: string
  token: string
  transport: 'websocket' | 'polling'
  /** The values that are stored now. When a client cannot resume, they count as seen: the client would read them. */
  stored(): Iterable<string>
  /** The agent that opens the connections. Absent: to 127.0.0.1, without TLS. */
  agent?: Agent
}

/** A client of the live channel that resumes after each reconnect, and remembers the observed values. */
export function createLiveClient({ apiUrl, buildingId, token, transport, stored, agent = toLoopback }: LiveOptions) {
  const seen = new Set<string>()
  const counts = { connects: 0, resumed: 0, snapshots: 0 }
  let last: number | undefined
  let isJoined = false
  const socket = io(`${apiUrl}/buildings`, {
    ...{ forceNew: true, transports: [transport], auth: { token }, agent: agent as never },
    ...{ reconnectionDelay: 50, reconnectionDelayMax: 500 },
  })
  socket.on('building.point.updated', ({ observations }, { sequence }: { sequence: number }) => {
    for (const { value } of observations) seen.add(value)
    last = sequence
  })
  socket.on('disconnect', () => {
    isJoined = false
  })
  socket.on('connect', async () => {
    counts.connects++
    const after = last
    const resumed = after === undefined ? undefined : await socket.emitWithAck('resume', { buildingId, after })
    if (resumed?.ok) counts.resumed++
    else {
      const joined = await socket.emitWithAck('join', { buildingId })
      if (!joined.ok) return void socket.disconnect().connect()
      if (after !== undefined) counts.snapshots++
      last = joined.sequence
      for (const value of stored()) seen.add(value)
    }
    isJoined = true
  })
  return { seen, counts, isJoined: () => isJoined, close: () => void socket.disconnect() }
}

export type LiveClient = ReturnType<typeof createLiveClient>
