import type { Server } from 'node:http'
import { attachEndpoint } from './endpoint.ts'
import { LIVE_LIMITS, type LiveLimits } from './limits.ts'
import type { Origins } from './origins.ts'
import type { SocketServer, SocketServerOptions } from './socket-server.ts'

export interface LiveOptions extends Omit<SocketServerOptions, 'limits'> {
  origins: Origins
  limits?: LiveLimits
}

export interface Live {
  /** The buildings that at least one signed-in person follows. */
  followed(): readonly string[]
  connections(): number
  /** Ends all sockets. */
  close(): Promise<void>
}

/**
 * The live channel of a stack, on the server of its API. Socket.IO is loaded on the first connection: most stacks wake
 * for a plain request, which would otherwise wait until Socket.IO is loaded.
 */
export function attachLive(server: Server, { origins, limits = LIVE_LIMITS, ...options }: LiveOptions): Live {
  let opening: Promise<SocketServer> | undefined
  let socketServer: SocketServer | undefined
  let closing = false

  async function open(): Promise<SocketServer> {
    const { openSocketServer } = await import('./socket-server.ts')
    socketServer = openSocketServer({ ...options, limits })
    return socketServer
  }

  attachEndpoint(server, {
    origins,
    engine() {
      if (closing) return undefined
      opening ??= open()
      return socketServer ?? opening
    },
  })
  return {
    followed: () => socketServer?.followed() ?? [],
    connections: () => socketServer?.connections() ?? 0,
    async close() {
      closing = true
      await (await opening)?.close()
    },
  }
}
