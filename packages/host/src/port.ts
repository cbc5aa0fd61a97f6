import { createServer, type Server } from 'node:net'
import { StartupError } from '@storey/kit/startup-error'
import { getLocal } from './get-local.ts'

/**
 * How many connections can wait to be accepted. Beyond this number the system drops connection attempts, and TCP
 * repeats them only after a second.
 */
const BACKLOG = 4_096

/** Listens, or throws a StartupError that explains the failure. */
export async function listen(server: Server, port: number, host: string, setting = 'PORT'): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new StartupError(sentence(cause, port, host, setting), { cause })),
    )
    server.listen({ port, host, backlog: BACKLOG }, resolve)
  })
}

/** Checks the port before anything else starts: a port in use is the most common startup failure. */
export async function checkPort(port: number, host: string, setting = 'PORT'): Promise<void> {
  const probe = createServer()
  try {
    await listen(probe, port, host, setting)
  } catch (err) {
    if (!(await isStorey(port, host))) throw err
    const next = `Stop it first, or set ${setting} and DATA_DIR for a second one.`
    throw new StartupError(`Storey is already running at ${urlOf(port, host)}. ${next}`, { cause: err })
  }
  await new Promise((resolve) => probe.close(resolve))
}

/** Whether the program at this port is Storey: the type of its problem responses identifies it. */
async function isStorey(port: number, host: string): Promise<boolean> {
  try {
    const target = { host: localName(host), port, path: '/api/v1/sandboxes' }
    return (await getLocal({ ...target, limitMs: 1_000 })).text.includes('urn:storey:problem:')
  } catch {
    return false
  }
}

const localName = (host: string) => (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host)

function urlOf(port: number, host: string): string {
  const address = localName(host)
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

function sentence(cause: NodeJS.ErrnoException, port: number, host: string, setting: string): string {
  if (cause.code === 'EADDRINUSE')
    return `Port ${port} is already in use. Stop the other program, or set ${setting} to another port.`
  if (cause.code === 'EACCES') return `Permission denied for port ${port}. Set ${setting} to a port above 1023.`
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND')
    return `This machine has no address ${host}: set ${setting === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST'} to an address of this machine.`
  return `Could not listen on ${host}:${port}: ${cause.message}`
}
