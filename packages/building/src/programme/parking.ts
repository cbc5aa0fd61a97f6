import { type RoomRequest, room } from '../geometry/room.ts'
import { type Programme, shareRest } from './programme.ts'

/**
 * The rooms of a parking storey: parking zones along the aisles, and service rooms. The lowest parking storey also has
 * a plant room and an electrical room.
 */
export const parkingRooms: Programme = (count, availableSqm, role, random) => {
  const rooms: RoomRequest[] = []
  const add = (wanted: number, make: () => RoomRequest) => {
    for (let i = 0; i < wanted && rooms.length < count; i++) rooms.push(make())
  }
  const share = (part: number) => availableSqm * part * random.between(0.8, 1.2)
  const zone = () => room('parking', random.between(0.8, 1.2), { elastic: true, rank: 6 })

  add(Math.min(2, count), zone)
  if (role.hasPlant) {
    add(count >= 4 ? 1 : 0, () => room('plant-room', share(0.12), { inside: true, rank: 3 }))
    add(count >= 6 ? 1 : 0, () => room('electrical-room', share(0.03), { inside: true, rank: 1 }))
  }
  add(count >= 5 ? 1 : 0, () => room('ramp', share(0.06), { rank: 9 }))
  add(count >= 7 ? 1 : 0, () => room('storage', share(0.03), { inside: true, rank: 4 }))
  add(count >= 8 ? 1 : 0, () => room('bike-storage', share(0.03), { rank: 2 }))
  add(count >= 10 ? 1 : 0, () => room('waste-room', share(0.02), { rank: 8 }))
  add(count >= 30 ? Math.round(count / 15) : 0, () => room('storage', share(0.01), { inside: true, rank: 4 }))
  add(count, zone)
  return shareRest(rooms, availableSqm)
}
