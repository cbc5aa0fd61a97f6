import type { RoomWish } from '../geometry/room.ts'
import type { Random } from '../seeded/random.ts'

/** What a storey is for, which decides its rooms. */
export interface StoreyRole {
  use: 'office' | 'mall' | 'parking'
  isGround: boolean
  isTop: boolean
  /** The plant stands in the basement if there is one, else under the roof. */
  hasPlant: boolean
}

/**
 * The rooms of a storey, apart from corridors, core and end rooms: exactly `count`, together about `availableSqm`.
 * The end rooms have `elsewhereSqm` for work or sale already.
 */
export type Programme = (
  count: number,
  availableSqm: number,
  role: StoreyRole,
  random: Random,
  elsewhereSqm: number,
) => RoomWish[]

/** Gives elastic rooms what the others leave, in the ratio of the areas they came with. */
export function shareRest(wishes: RoomWish[], availableSqm: number): RoomWish[] {
  const fixed = wishes.reduce((sum, wish) => sum + (wish.elastic ? 0 : wish.areaSqm), 0)
  const elastic = wishes.reduce((sum, wish) => sum + (wish.elastic ? wish.areaSqm : 0), 0)
  if (elastic === 0) return wishes
  // Where fixed rooms want nearly everything, all of them shrink later; the elastic ones keep a fair part meanwhile.
  const scale = Math.max(availableSqm - fixed, availableSqm * 0.2) / elastic
  return wishes.map((wish) => (wish.elastic ? { ...wish, areaSqm: wish.areaSqm * scale } : wish))
}
