import type { BuildingSpec } from '../building.ts'

/** Share of capacity present at each full hour, by kind of day. */
interface Week {
  weekday: readonly number[]
  friday: readonly number[]
  saturday: readonly number[]
  sunday: readonly number[]
}

const scaled = (hours: readonly number[], by: number) => hours.map((share) => Math.min(0.95, share * by))

//                        0    1    2    3    4    5    6    7    8    9    10   11   12   13   14   15   16   17   18   19   20   21   22   23
const OFFICE_DAY = [
  0.02, 0.02, 0.02, 0.02, 0.05, 0.1, 0.25, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.65, 0.4, 0.25, 0.12,
  0.05, 0.04, 0.03, 0.02,
]
const OFFICE_SATURDAY = [
  0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.05, 0.08, 0.12, 0.15, 0.15, 0.15, 0.15, 0.12, 0.1, 0.08, 0.05, 0.05, 0.03, 0.02,
  0.02, 0.02, 0.02, 0.02,
]
const OFFICE_SUNDAY = [
  0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.03, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.03, 0.02,
  0.02, 0.02, 0.02, 0.02, 0.02,
]
const MALL_DAY = [
  0.0, 0.0, 0.0, 0.0, 0.0, 0.02, 0.05, 0.15, 0.4, 0.55, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.65, 0.5, 0.35,
  0.2, 0.05, 0.0,
]
const MALL_SUNDAY = [
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02, 0.03, 0.05, 0.1, 0.3, 0.4, 0.5, 0.55, 0.55, 0.5, 0.45, 0.35, 0.25, 0.15, 0.08,
  0.04, 0.02, 0.0,
]
const EVENING_DAY = [
  0.03, 0.02, 0.02, 0.02, 0.02, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.38, 0.42, 0.45, 0.52, 0.6, 0.65, 0.65, 0.65,
  0.62, 0.45, 0.22, 0.08,
]
const SHOP_OFFICE_DAY = [
  0.0, 0.0, 0.0, 0.0, 0.0, 0.02, 0.05, 0.2, 0.45, 0.6, 0.7, 0.7, 0.75, 0.75, 0.7, 0.7, 0.65, 0.45, 0.15, 0.05, 0.02,
  0.0, 0.0, 0.0,
]
const SHIFTS_DAY = [
  0.38, 0.36, 0.35, 0.35, 0.36, 0.38, 0.45, 0.55, 0.6, 0.62, 0.62, 0.62, 0.6, 0.62, 0.62, 0.6, 0.58, 0.55, 0.52, 0.5,
  0.48, 0.46, 0.44, 0.4,
]
const SHIFTS_MALL_DAY = [
  0.2, 0.15, 0.12, 0.12, 0.12, 0.15, 0.22, 0.32, 0.45, 0.55, 0.65, 0.7, 0.7, 0.7, 0.7, 0.7, 0.72, 0.75, 0.7, 0.6, 0.5,
  0.42, 0.34, 0.26,
]

/**
 * The week of each type and profile. An office in office hours and a mall with its evenings are the common cases, from
 * measured schedules; the others move the same people to other hours.
 */
const WEEKS: Record<BuildingSpec['buildingType'], Record<BuildingSpec['occupancyProfile'], Week>> = {
  office: {
    'office-hours': { weekday: OFFICE_DAY, friday: OFFICE_DAY, saturday: OFFICE_SATURDAY, sunday: OFFICE_SUNDAY },
    'peak-evenings': {
      weekday: EVENING_DAY,
      friday: scaled(EVENING_DAY, 1.05),
      saturday: scaled(EVENING_DAY, 0.5),
      sunday: scaled(EVENING_DAY, 0.3),
    },
    '24x7': {
      weekday: SHIFTS_DAY,
      friday: SHIFTS_DAY,
      saturday: scaled(SHIFTS_DAY, 0.8),
      sunday: scaled(SHIFTS_DAY, 0.75),
    },
  },
  mall: {
    'peak-evenings': {
      weekday: MALL_DAY,
      friday: scaled(MALL_DAY, 1.12),
      saturday: scaled(MALL_DAY, 1.2),
      sunday: MALL_SUNDAY,
    },
    'office-hours': {
      weekday: SHOP_OFFICE_DAY,
      friday: scaled(SHOP_OFFICE_DAY, 1.1),
      saturday: scaled(SHOP_OFFICE_DAY, 1.15),
      sunday: scaled(SHOP_OFFICE_DAY, 0.3),
    },
    '24x7': {
      weekday: SHIFTS_MALL_DAY,
      friday: scaled(SHIFTS_MALL_DAY, 1.1),
      saturday: scaled(SHIFTS_MALL_DAY, 1.15),
      sunday: scaled(SHIFTS_MALL_DAY, 0.9),
    },
  },
}

/** Share of the building's capacity present, between 0 and 1, straight between full hours. */
export type ShareAt = (weekday: number, hour: number) => number

export function shareAt({ buildingType, occupancyProfile }: BuildingSpec): ShareAt {
  const { weekday, friday, saturday, sunday } = WEEKS[buildingType][occupancyProfile]
  const days = [sunday, weekday, weekday, weekday, weekday, friday, saturday]
  return (day, hour) => {
    const hours = days[day]!
    const from = Math.floor(hour) % 24
    const next = from === 23 ? days[(day + 1) % 7]![0]! : hours[from + 1]!
    return hours[from]! + (next - hours[from]!) * (hour - Math.floor(hour))
  }
}

/** The largest share of an ordinary weekday: what schedules of light and air are set by. */
export function peakShare({ buildingType, occupancyProfile }: BuildingSpec): number {
  return Math.max(...WEEKS[buildingType][occupancyProfile].weekday)
}
