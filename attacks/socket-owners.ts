import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
/** The table of all connections of the machine is read for many look-ups at once, because that takes milliseconds. */
const FRESH_MS = 20

/**
 * Finds out which process has the accepted end of a connection. It reads this from the kernel, so a fault of the
 * service cannot hide it. Outside of Linux no owner is known.
 */
export function createSocketOwners(pids: readonly number[]) {
  let owners = new Map<string, number>()
  let readAt = Number.NEGATIVE_INFINITY

  function read(): void {
    const holders = new Map(pids.flatMap((pid) => socketsOf(pid).map((inode) => [inode, pid] as const)))
    owners = new Map()
    for (const line of TABLES.filter(existsSync).flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(1))) {
      const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
      const pid = inode === undefined ? undefined : holders.get(inode)
      if (pid !== undefined) owners.set(`${local!.slice(-13)} ${remote!.slice(-13)}`, pid)
    }
    readAt = performance.now()
  }

  return {
    /** One of the processes, or undefined if none of them has the other end of this client's connection. */
    ownerOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): number | undefined {
      if (performance.now() - readAt > FRESH_MS) read()
      return owners.get(`${inTable(remoteAddress, remotePort)} ${inTable(localAddress, localPort)}`)
    },
  }
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? []
    } catch {
      return []
    }
  })
}

/** An IPv4 address and a port, as the table of the kernel has them. */
function inTable(address = '', port = 0): string {
  const hex = (value: number, length: number) => value.toString(16).toUpperCase().padStart(length, '0')
  const bytes = address.split('.').map(Number)
  return `${bytes
    .reverse()
    .map((byte) => hex(byte, 2))
    .join('')}:${hex(port, 4)}`
}
