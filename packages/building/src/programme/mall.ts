import { type RoomRequest, room } from '../geometry/room.ts'
import { type Programme, shareRest } from './programme.ts'

/** The share of shops that are vacant. */
export const VACANT_SHARE = 0.07

/**
 * The rooms between the anchor stores of a retail storey: shops and service rooms. If the top storey has enough rooms,
 * it also has a food court and restaurants.
 */
export const mallRooms: Programme = (count, availableSqm, role, random) => {
  const scale = Math.max(1, availableSqm / count / 130)
  const rooms: RoomRequest[] = []
  const add = (wanted: number, make: () => RoomRequest) => {
    for (let i = 0; i < wanted && rooms.length < count; i++) rooms.push(make())
  }
  const serviceRoom = (type: string, sqm: number, rank: number) =>
    room(type, sqm * scale * random.between(0.85, 1.2), { inside: true, rank })
  const shop = () =>
    room('shop', random.pick([0.6, 0.8, 0.8, 1, 1, 1.2, 1.6, 2.2]), { elastic: true, rank: random.int(2, 8) })

  add(Math.min(2, count), shop)
  if (role.isTop && count >= 4) add(1, () => room('food-court', availableSqm * 0.16, { rank: 1 }))
  if (role.isGround && count >= 5) add(1, () => serviceRoom('loading-dock', 90, 9))
  if (role.hasPlant && count >= 4) add(1, () => serviceRoom('plant-room', 90, 9))
  add(count >= 6 ? Math.ceil(count / 40) : 0, () => serviceRoom('storage', 40, 7))
  if (role.isTop && count >= 8)
    add(Math.min(4, Math.round(count / 10)), () => room('restaurant', 90 * scale, { rank: 1 }))
  if (role.isGround) add(count >= 9 ? 1 : 0, () => serviceRoom('security-room', 22, 1))
  if (role.isTop) add(count >= 9 ? 1 : 0, () => serviceRoom('management-office', 50, 3))
  add(count >= 12 ? Math.floor(count / 25) : 0, () => serviceRoom('toilet', 35, 0))
  add(count >= 13 ? 1 : 0, () => serviceRoom('electrical-room', 18, 1))
  add(count >= 15 ? 1 : 0, () => serviceRoom('cleaning-room', 12, 1))
  if (role.isGround) add(count >= 16 ? 1 : 0, () => serviceRoom('waste-room', 45, 9))
  add(count, shop)
  return shareRest(rooms, availableSqm)
}
