import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  url: string
  /** Connections that were cut because of what was sent over them. */
  cuts: number
  close(): Promise<void>
}

/**
 * A way to a service that breaks: the request that begins with `marker` goes through, its answer does not come back,
 * and for a while nothing else gets through either.
 */
export async function cuttingProxy(target: string, marker: string, outageMs: number): Promise<CuttingProxy> {
  const { port } = new URL(target)
  const open = new Set<Socket>()
  let awayUntil = 0
  const proxy: CuttingProxy = { url: '', cuts: 0, close: () => closed(server, open) }
  const server: Server = createServer((near) => {
    open.add(near)
    near.on('close', () => open.delete(near)).on('error', () => undefined)
    if (Date.now() < awayUntil) {
      near.destroy()
      return
    }
    const far = connect(Number(port), '127.0.0.1')
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on('close', () => far.destroy())
    let isDoomed = false
    near.on('data', (data) => {
      if (proxy.cuts === 0 && data.toString('latin1').startsWith(marker)) isDoomed = true
      far.write(data)
    })
    far.on('data', (data) => {
      if (!isDoomed) {
        near.write(data)
        return
      }
      proxy.cuts += 1
      awayUntil = Date.now() + outageMs
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
