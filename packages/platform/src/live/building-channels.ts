import { LIVE_EVENTS, type LiveEvent } from '@storey/contract'
import type { Socket } from 'socket.io'
import type { Bus } from '../bus/index.ts'
import { type BuildingChannel, createBuildingChannel } from './building-channel.ts'
import type { LiveLimits } from './limits.ts'

export interface BuildingChannelsOptions {
  bus: Bus
  limits: LiveLimits
  drop(socket: Socket): void
}

/** The channels of all buildings. It subscribes to the bus only while there are sockets: an event without one is not built. */
export function createBuildingChannels({ bus, limits, drop }: BuildingChannelsOptions) {
  const channels = new Map<string, BuildingChannel>()
  let subscriptions: (() => void)[] = []

  function open(buildingId: string): BuildingChannel {
    subscriptions = subscriptions.length > 0 ? subscriptions : LIVE_EVENTS.map(listen)
    const channel = createBuildingChannel({ buildingId, limits, drop })
    channels.set(buildingId, channel)
    return channel
  }

  const listen = (name: LiveEvent) =>
    bus.subscribe(name, ({ buildingId, fields }) => channels.get(buildingId)?.publish(name, fields))

  function close(): void {
    for (const end of subscriptions) end()
    subscriptions = []
    for (const channel of channels.values()) channel.close()
    channels.clear()
  }

  return {
    join: (socket: Socket, buildingId: string) => (channels.get(buildingId) ?? open(buildingId)).join(socket),
    resume: (socket: Socket, buildingId: string, after: number) => channels.get(buildingId)?.resume(socket, after),
    leave: (socket: Socket, buildingId: string) => channels.get(buildingId)?.leave(socket),
    leaveAll(socket: Socket): void {
      for (const channel of channels.values()) channel.leave(socket)
    },
    sweep(): void {
      for (const [buildingId, channel] of channels) {
        channel.sweep()
        if (channel.isAbandoned()) channels.delete(buildingId)
      }
      if (channels.size === 0) close()
    },
    close,
  }
}

export type BuildingChannels = ReturnType<typeof createBuildingChannels>
