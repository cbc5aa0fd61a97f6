import type { Socket } from 'node:net'
import { readProxyHeader } from '@storey/kit/client-address'

/**
 * Reads the client address from the PROXY protocol header of a trusted proxy. Returns the proxy's own address when
 * there is no header, or no client address in it. Undefined when the header is invalid or the connection ends.
 */
export function readProxied(socket: Socket, ownAddress: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const end = (address: string | undefined, rest?: Buffer) => {
      socket.off('data', onData).off('close', onClose).pause()
      if (rest !== undefined && rest.length > 0) socket.unshift(rest)
      resolve(address)
    }
    const onClose = () => end(undefined)
    const onData = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const header = readProxyHeader(read)
      if (header.kind === 'incomplete') return
      if (header.kind === 'invalid') return end(undefined)
      if (header.kind === 'none') return end(ownAddress, read)
      end(header.source?.address ?? ownAddress, read.subarray(header.length))
    }
    socket.on('data', onData).on('close', onClose).resume()
  })
}
