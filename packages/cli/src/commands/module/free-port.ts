import { connect } from 'node:net'
import { DEFAULT_PORT } from '../sandbox/default-remote.ts'

const PORTS_TRIED = 20
const LIMIT_MS = 500

/** The first of twenty ports, from `first` on, where nothing listens; `first` if all of them are in use. */
export async function freePort(first = DEFAULT_PORT): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED; port += 1) if (await isFree(port)) return port
  return first
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost', timeout: LIMIT_MS })
    const end = (free: boolean) => {
      resolve(free)
      socket.destroy()
    }
    socket.once('connect', () => end(false))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(true))
  })
}
