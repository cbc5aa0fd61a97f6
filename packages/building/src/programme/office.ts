import { type RoomRequest, room } from '../geometry/room.ts'
import type { Random } from '../random/random.ts'
import { type Programme, shareRest } from './programme.ts'

/** Office storeys: open offices, cellular offices, about one meeting room per 12 workspaces, and service rooms. */
export const officeRooms: Programme = (count, availableSqm, role, random, elsewhereSqm) => {
  // Rooms are larger where the plate has more area per room than usual.
  const scale = Math.max(1, availableSqm / count / 45)
  const rooms: RoomRequest[] = []
  const add = (wanted: number, make: () => RoomRequest) => {
    for (let i = 0; i < wanted && rooms.length < count; i++) rooms.push(make())
  }
  const small = (type: string, sqm: number, rank: number) =>
    room(type, sqm * scale * random.between(0.85, 1.2), { inside: true, rank })

  const openOffice = () => room('open-office', 100 * random.between(0.6, 1.3), { elastic: true, rank: 8 })

  // Every segment along the facade should have an elastic room that fills its remaining length.
  add(count >= 4 ? 1 + Math.max(role.isGround ? 2 : 1, Math.round(count / 9)) : 1, openOffice)
  // A plant storey with end rooms has its plant room at the west end, so it should not get a second one. But
  // `elsewhereSqm` counts only open offices: it is also 0 if the east end room is a training room, and then a second
  // plant room is added. This is not corrected, because a seed must give the same building in every release.
  if (role.hasPlant && elsewhereSqm === 0) {
    add(count > 2 ? 1 : 0, () => room('plant-room', availableSqm * 0.15, { elastic: count > 6, rank: 9 }))
  }
  if (role.isGround) add(count > 6 ? 1 : 0, () => small('reception', 22, 0))
  const workspaces = (availableSqm * 0.65 + elsewhereSqm) / (10 * scale)
  const meetings = Math.min(Math.round(workspaces / 12), Math.round(count * 0.36))
  add(count >= 3 ? Math.max(meetings, 1) : 0, () => meetingRoom(scale, random))
  add(count >= 5 ? Math.ceil(count / 40) : 0, () => small('kitchen', 16, 1))
  add(count >= 8 ? 1 : 0, () => small('server-room', 14, 3))
  add(count >= 9 ? Math.ceil(count / 50) : 0, () => small('storage', 10, 4))
  add(count >= 12 ? Math.ceil(count / 50) : 0, () => small('copy-room', 9, 2))
  add(count >= 12 ? Math.floor(count / 24) : 0, () => small('toilet', 16, 0))
  add(count >= 17 ? 1 : 0, () => small('electrical-room', 8, 0))
  add(count >= 19 ? 1 : 0, () => small('cleaning-room', 6, 1))
  add(count >= 23 ? 1 : 0, () => small('telecom-room', 7, 1))
  add(count >= 20 ? Math.round(count / 20) : 0, () => small('phone-booth', 4.5, 2))
  add(count >= 22 ? Math.round(count / 30) : 0, () => small('break-room', 20, 2))
  const cells = count - rooms.length
  // On a very large plate even the small rooms are large enough for open offices.
  const cell = (type: string) => (scale > 2.5 ? 'open-office' : type)
  add(Math.round(cells * 0.25), () => room(cell('shared-office'), random.between(20, 30) * scale, { rank: 6 }))
  add(count, () => room(cell('private-office'), random.between(12, 17) * scale, { rank: 5 }))
  return shareRest(rooms, availableSqm)
}

/**
 * A meeting room with 4 to 16 seats. Six and eight seats are the most likely, as on a typical office storey. A room of
 * more than 120 square metres is an auditorium.
 */
function meetingRoom(scale: number, random: Random): RoomRequest {
  const seats = random.pick([4, 6, 6, 8, 8, 12, 16])
  const sqm = (6 + seats * 1.9) * scale
  return room(sqm > 120 ? 'auditorium' : 'meeting-room', sqm, { inside: seats > 6 || random.chance(0.5), rank: 2 })
}
