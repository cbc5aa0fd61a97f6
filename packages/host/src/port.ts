import { createServer, type Server } from 'node:net'
import { StartupError } from '@storey/kit/startup-error'

/** Listens, or throws a StartupError that explains the failure. */
export async function listen(server: Server, port: number, host: string, setting = 'PORT'): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new StartupError(sentence(cause, port, host, setting), { cause })),
    )
    server.listen(port, host, resolve)
  })
}

/** Checks the port before anything else starts: a port in use is the most common startup failure. */
export async function checkPort(port: number, host: string, setting = 'PORT'): Promise<void> {
  const probe = createServer()
  await listen(probe, port, host, setting)
  await new Promise((resolve) => probe.close(resolve))
}

function sentence(cause: NodeJS.ErrnoException, port: number, host: string, setting: string): string {
  if (cause.code === 'EADDRINUSE')
    return `Port ${port} is already in use. Stop the other program, or set ${setting} to another port.`
  if (cause.code === 'EACCES') return `Permission denied for port ${port}. Set ${setting} to a port above 1023.`
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND')
    return `This machine has no address ${host}: set HOST to one it has.`
  return `Could not listen on ${host}:${port}: ${cause.message}`
}
