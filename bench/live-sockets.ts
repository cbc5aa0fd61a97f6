import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientsCommand, ClientsMessage, Tally } from './live-clients.ts'

const PROCESSES = 2
const STALL_MS = 10_000

/** Clients of Socket.IO servers, in separate processes with this scheduling priority. */
export function startSockets(priority = 0) {
  const children = Array.from({ length: PROCESSES }, () =>
    fork(new URL('live-clients.ts', import.meta.url), { execArgv: [] }),
  )
  for (const { pid } of children) setPriority(pid!, priority)
  const received = new Map<ChildProcess, number>()
  const progress = new EventEmitter<{ receipts: [] }>()
  for (const child of children) {
    child.on('message', (message: ClientsMessage) => {
      if (message.type !== 'progress') return
      received.set(child, message.received)
      progress.emit('receipts')
    })
  }

  function tallyOf(child: ChildProcess): Promise<Tally> {
    child.send('tally')
    return new Promise((resolve) => {
      const listen = (message: ClientsMessage) => {
        if (message.type !== 'tally') return
        child.off('message', listen)
        resolve(message.tally)
      }
      child.on('message', listen)
    })
  }

  async function tally() {
    const all = await Promise.all(children.map(tallyOf))
    const sum = (field: 'joined' | 'received' | 'lost') => all.reduce((total, one) => total + one[field], 0)
    const delays = new Map<number, number>()
    for (const [bucket, count] of all.flatMap((one) => one.delays)) {
      delays.set(bucket, (delays.get(bucket) ?? 0) + count)
    }
    return { joined: sum('joined'), received: sum('received'), lost: sum('lost'), sample: all[0]!.sample, delays }
  }

  return {
    tally,
    /** Opens sockets, and resolves when all have joined. */
    async open({ count, ...command }: ClientsCommand): Promise<void> {
      const goal = (await tally()).joined + count
      for (const child of children) child.send({ ...command, count: count / PROCESSES } satisfies ClientsCommand)
      while ((await tally()).joined < goal) await sleep(100)
    },
    reset(): void {
      for (const child of children) child.send('reset')
      received.clear()
    },
    /** Receipts since the last reset, as last reported. */
    received: (): number => children.reduce((sum, child) => sum + (received.get(child) ?? 0), 0),
    /** Resolves when there are more receipts, and rejects if there are none within `STALL_MS`. */
    progress: () => once(progress, 'receipts', { signal: AbortSignal.timeout(STALL_MS) }),
    close(): void {
      for (const child of children) child.disconnect()
    },
  }
}

export type Sockets = ReturnType<typeof startSockets>
