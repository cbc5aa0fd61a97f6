import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** The options of this thread, which opens connections as fast as a core can, `atATime` of them at the same time. */
export interface Flood {
  port: number
  from: string
  atATime: number
  /**
   * The bytes to send on each connection before waiting for an answer. If absent, connections are reset immediately.
   */
  bytes?: Uint8Array
}
export interface Flooded {
  opened: number
  answered: number
}

const LIMIT_MS = 5_000
const { port, from, atATime, bytes } = workerData as Flood
const figures: Flooded = { opened: 0, answered: 0 }
let isOver = false

function open(): void {
  if (isOver) return
  const socket = connect({ host: '127.0.0.1', port, localAddress: from })
  socket.setTimeout(LIMIT_MS, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.once('connect', () => {
    figures.opened++
    if (bytes) socket.write(bytes)
    else socket.resetAndDestroy()
  })
  socket.once('data', () => {
    figures.answered++
    socket.resetAndDestroy()
  })
  socket.once('close', () => setImmediate(open))
}

for (let i = 0; i < atATime; i++) open()
parentPort!.once('message', () => {
  isOver = true
  parentPort!.postMessage(figures)
  parentPort!.close()
  setTimeout(() => process.exit(), 200)
})
