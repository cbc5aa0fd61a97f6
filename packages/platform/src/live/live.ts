import type { Server } from 'node:http'
import type { Channel, ChannelOptions } from './channel.ts'
import { openDoor } from './door.ts'
import { LIVE_LIMITS, type LiveLimits } from './limits.ts'
import type { Origins } from './origins.ts'

export interface LiveOptions extends Omit<ChannelOptions, 'limits'> {
  origins: Origins
  limits?: LiveLimits
}

export interface Live {
  /** Ends all sockets. */
  close(): Promise<void>
}

/**
 * The live channel of a stack, on the server of its API. Its library is loaded when somebody asks for it: most stacks
 * wake up for a request, and a caller waits.
 */
export function attachLive(server: Server, { origins, limits = LIVE_LIMITS, ...options }: LiveOptions): Live {
  let opening: Promise<Channel> | undefined
  let channel: Channel | undefined
  let closing = false

  async function open(): Promise<Channel> {
    const { openChannel } = await import('./channel.ts')
    channel = openChannel({ ...options, limits })
    return channel
  }

  openDoor(server, {
    origins,
    engine() {
      if (closing) return undefined
      opening ??= open()
      return channel ?? opening
    },
  })
  return {
    async close() {
      closing = true
      await (await opening)?.close()
    },
  }
}
