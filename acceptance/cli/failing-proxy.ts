import { connect, createServer, type Server, type Socket } from 'node:net'

export interface FailingProxy {
  url: string
  /** How often the proxy has failed: 0 or 1. */
  failures: number
  close(): Promise<void>
}

/**
 * A proxy that fails once: it forwards the request that begins with `marker` but not its response. It closes all
 * connections instead, and closes each new one during `outageMs`.
 */
export async function failingProxy(target: string, marker: string, outageMs: number): Promise<FailingProxy> {
  const { port } = new URL(target)
  const open = new Set<Socket>()
  let downUntil = 0
  const proxy: FailingProxy = { url: '', failures: 0, close: () => closed(server, open) }
  const server: Server = createServer((near) => {
    open.add(near)
    near.on('close', () => open.delete(near)).on('error', () => undefined)
    if (Date.now() < downUntil) {
      near.destroy()
      return
    }
    const far = connect(Number(port), '127.0.0.1')
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    let hasMarker = false
    near.on('data', (data) => {
      if (proxy.failures === 0 && data.toString('latin1').startsWith(marker)) hasMarker = true
      far.write(data)
    })
    far.on('data', (data) => {
      if (!hasMarker) {
        near.write(data)
        return
      }
      proxy.failures += 1
      downUntil = Date.now() + outageMs
      for (const socket of open) socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://localhost:${(server.address() as { port: number }).port}`
  return proxy
}

function closed(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  for (const socket of open) socket.destroy()
  return new Promise((resolve) => server.close(() => resolve()))
}
