import { readFile } from 'node:fs/promises'

/** The kernel's tables of connections. Only Linux has them. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/** The client of a connection, as the key of its send queue. */
export const clientKey = (address = '', port = 0) => `${address.replace(/^::ffff:/i, '')} ${port}`

/**
 * How many bytes the kernel keeps for each client of this port, because the client has not acknowledged them yet.
 * Clients without such bytes are absent. Undefined if the system does not report its send queues.
 */
export async function readSendQueues(localPort = 0): Promise<Map<string, number> | undefined> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')))
  if (tables.every((table) => table === '')) return undefined
  const queues = new Map<string, number>()
  for (const table of tables) addQueues(table, localPort, queues)
  return queues
}

/**
 * Adds the send queues of one table. A line is `sl local_address rem_address st tx_queue:rx_queue …`, all numbers in
 * hexadecimal.
 */
export function addQueues(table: string, localPort: number, queues: Map<string, number>): void {
  const local = `:${localPort.toString(16).toUpperCase().padStart(4, '0')} `
  for (let start = table.indexOf('\n') + 1; start < table.length; ) {
    const newline = table.indexOf('\n', start)
    const end = newline === -1 ? table.length : newline
    const at = table.indexOf(local, start)
    if (at === -1) return
    // Most lines belong to other ports. They are skipped without splitting them.
    if (at < end) addLine(table.slice(start, end), local, queues)
    start = at < end ? end + 1 : table.lastIndexOf('\n', at) + 1
  }
}

function addLine(line: string, local: string, queues: Map<string, number>): void {
  const [, localAddress = '', client = '', , queue = ''] = line.trim().split(/\s+/)
  const bytes = Number.parseInt(queue, 16)
  // A listening socket is skipped, because its send queue is empty.
  if (!`${localAddress} `.endsWith(local) || !(bytes > 0)) return
  const [address = '', port = ''] = client.split(':')
  queues.set(clientKey(addressOf(address), Number.parseInt(port, 16)), bytes)
}

const MAPPED = '00000000000000000000ffff'

/** The kernel prints each 32-bit word of an address in the machine's byte order. This code assumes little-endian. */
function addressOf(hex: string): string {
  const bytes = Buffer.concat((hex.match(/.{8}/g) ?? []).map((word) => Buffer.from(word, 'hex').reverse()))
  const isMapped = bytes.toString('hex').startsWith(MAPPED)
  if (bytes.length === 4 || isMapped) return bytes.subarray(-4).join('.')
  const groups = bytes.toString('hex').match(/.{4}/g) ?? []
  // Node prints the addresses of sockets in the short form that URLs have too.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
