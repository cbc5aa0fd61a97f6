import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { childrenOf } from '../../bench/processes.ts'

type Owner = 'control plane' | 'stack'

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** Whether `owner` has the other end of a client's connection. Always true on systems other than Linux. */
export function isOwnedBy(owner: Owner, hostPid: number, client: Socket): boolean {
  return !TABLES.some(existsSync) || ownerOf(hostPid, client) === owner
}

export async function untilOwnedBy(owner: Owner, hostPid: number, client: Socket): Promise<void> {
  await expect.poll(() => isOwnedBy(owner, hostPid, client), { message: owner, timeout: 10_000 }).toBe(true)
}

const ESTABLISHED = '01'
const inTable = (port: number | undefined) => `:${port!.toString(16).toUpperCase().padStart(4, '0')}`

function ownerOf(hostPid: number, { localPort, remotePort }: Socket): Owner | undefined {
  const lines = TABLES.filter(existsSync).flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  // The state and both ports are compared, because closed connections stay in the table for a minute, and a connection
  // to another server may have the same client port.
  const [from, to] = [inTable(remotePort), inTable(localPort)]
  const accepted = lines
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, remote, state]) => state === ESTABLISHED && local?.endsWith(from) && remote?.endsWith(to))
  if (accepted === undefined) return undefined
  const mark = `socket:[${accepted[9]}]`
  return childrenOf(hostPid, 'serve').some((pid) => filesOf(pid).includes(mark)) ? 'stack' : 'control plane'
}

function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`)
    } catch {
      return ''
    }
  })
}
