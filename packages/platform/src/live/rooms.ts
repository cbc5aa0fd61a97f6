import { LIVE_EVENTS, type LiveEvent } from '@storey/contract'
import type { Socket } from 'socket.io'
import type { Bus } from '../bus/index.ts'
import type { LiveLimits } from './limits.ts'
import { createRoom, type Room } from './room.ts'

export interface RoomsOptions {
  bus: Bus
  limits: LiveLimits
  drop(socket: Socket): void
}

/** The buildings that sockets follow. The bus is listened to only while there are any: events cost whoever makes them. */
export function createRooms({ bus, limits, drop }: RoomsOptions) {
  const rooms = new Map<string, Room>()
  let subscriptions: (() => void)[] = []

  function open(buildingId: string): Room {
    subscriptions = subscriptions.length > 0 ? subscriptions : LIVE_EVENTS.map(listen)
    const room = createRoom({ buildingId, limits, drop })
    rooms.set(buildingId, room)
    return room
  }

  const listen = (name: LiveEvent) =>
    bus.subscribe(name, ({ buildingId, fields }) => rooms.get(buildingId)?.publish(name, fields))

  function close(): void {
    for (const end of subscriptions) end()
    subscriptions = []
    for (const room of rooms.values()) room.close()
    rooms.clear()
  }

  return {
    join: (socket: Socket, buildingId: string) => (rooms.get(buildingId) ?? open(buildingId)).join(socket),
    resume: (socket: Socket, buildingId: string, after: number) => rooms.get(buildingId)?.resume(socket, after),
    leave: (socket: Socket, buildingId: string) => rooms.get(buildingId)?.leave(socket),
    leaveAll(socket: Socket): void {
      for (const room of rooms.values()) room.leave(socket)
    },
    sweep(): void {
      for (const [buildingId, room] of rooms) {
        room.sweep()
        if (room.isAbandoned()) rooms.delete(buildingId)
      }
      if (rooms.size === 0) close()
    },
    close,
  }
}

export type Rooms = ReturnType<typeof createRooms>
