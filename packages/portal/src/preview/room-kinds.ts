/** Groups of space types. The plan has one colour per group. */
export const ROOM_KINDS = ['work', 'meeting', 'retail', 'people', 'circulation', 'service', 'parking'] as const
export type RoomKind = (typeof ROOM_KINDS)[number]

const SPACE_TYPES: Record<RoomKind, readonly string[]> = {
  work: ['open-office', 'private-office', 'shared-office', 'management-office', 'focus-room', 'library'],
  meeting: ['meeting-room', 'training-room', 'auditorium', 'phone-booth'],
  retail: ['shop', 'anchor-store', 'kiosk', 'supermarket', 'cinema'],
  people: [
    'reception',
    'lobby',
    'lounge',
    'break-room',
    'kitchen',
    'cafeteria',
    'restaurant',
    'food-court',
    'gym',
    'terrace',
  ],
  circulation: ['corridor', 'concourse', 'atrium', 'lift-lobby', 'stair', 'lift-shaft'],
  service: [],
  parking: ['parking', 'parking-aisle', 'ramp', 'bike-storage'],
}

const byType = new Map(ROOM_KINDS.flatMap((kind) => SPACE_TYPES[kind].map((type) => [type, kind] as const)))

/** A type that is in no group counts as service. */
export const kindOfRoom = (spaceType: string): RoomKind => byType.get(spaceType) ?? 'service'
