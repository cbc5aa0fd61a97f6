import type { Socket } from 'socket.io'

/** The sockets of a namespace that follow one building. */
export interface Channel {
  leave(socket: Socket): void
  /** Closes the connections of sockets that have fallen behind and read nothing. */
  sweep(): void
  /** Whether the channel has had no sockets for so long that no socket is expected to return. */
  isAbandoned(): boolean
  close(): void
}

export interface ChannelsOptions<C extends Channel> {
  create(buildingId: string): C
  /** Subscribes to the bus, and returns functions that end the subscriptions. */
  subscribe(find: (buildingId: string) => C | undefined): (() => void)[]
}

/**
 * The channels of a namespace, by building. The namespace subscribes to the bus only while it has channels, so that no
 * event is built without a receiver.
 */
export function createChannels<C extends Channel>({ create, subscribe }: ChannelsOptions<C>) {
  const channels = new Map<string, C>()
  const find = (buildingId: string) => channels.get(buildingId)
  let subscriptions: (() => void)[] = []

  function close(): void {
    for (const end of subscriptions) end()
    subscriptions = []
    for (const channel of channels.values()) channel.close()
    channels.clear()
  }

  return {
    find,
    open(buildingId: string): C {
      const known = find(buildingId)
      if (known) return known
      if (channels.size === 0) subscriptions = subscribe(find)
      const channel = create(buildingId)
      channels.set(buildingId, channel)
      return channel
    },
    leave: (socket: Socket, buildingId: string): void => find(buildingId)?.leave(socket),
    leaveAll(socket: Socket): void {
      for (const channel of channels.values()) channel.leave(socket)
    },
    sweep(): void {
      for (const [buildingId, channel] of channels) {
        channel.sweep()
        if (!channel.isAbandoned()) continue
        channel.close()
        channels.delete(buildingId)
      }
      if (channels.size === 0) close()
    },
    /** The buildings whose channels pass a test. */
    list: (test: (channel: C) => boolean): string[] =>
      [...channels].filter(([, channel]) => test(channel)).map(([buildingId]) => buildingId),
    isEmpty: () => channels.size === 0,
    close,
  }
}

export type Channels<C extends Channel> = ReturnType<typeof createChannels<C>>
