import type { BuildingSpec } from '../building.ts'

/** The people who are present at each full hour, as a share of the capacity, by kind of day. */
interface Week {
  weekday: readonly number[]
  friday: readonly number[]
  saturday: readonly number[]
  sunday: readonly number[]
}

/**
 * The people who are present at each full hour, in percent of the capacity. The table is text, so that the hours are
 * aligned in columns.
 */
const TABLE = `
hour             0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
office           2  2  2  2  5 10 25 65 65 65 65 65 65 65 65 65 65 40 25 12  5  4  3  2
officeSaturday   2  2  2  2  2  2  5  8 12 15 15 15 15 12 10  8  5  5  3  2  2  2  2  2
officeSunday     2  2  2  2  2  2  2  3  5  5  5  5  5  5  5  5  5  3  2  2  2  2  2  2
mall             0  0  0  0  0  2  5 15 40 55 75 75 75 75 75 75 75 75 65 50 35 20  5  0
mallSunday       0  0  0  0  0  0  2  3  5 10 30 40 50 55 55 50 45 35 25 15  8  4  2  0
evenings         3  2  2  2  2  3  6 10 15 20 25 30 38 42 45 52 60 65 65 65 62 45 22  8
mallOfficeHours  0  0  0  0  0  2  5 20 45 60 70 70 75 75 70 70 65 45 15  5  2  0  0  0
shifts          38 36 35 35 36 38 45 55 60 62 62 62 60 62 62 60 58 55 52 50 48 46 44 40
mall24x7        20 15 12 12 12 15 22 32 45 55 65 70 70 70 70 70 72 75 70 60 50 42 34 26
`

const scaled = (hours: readonly number[], by: number) => hours.map((share) => Math.min(0.95, share * by))

function hoursOf(name: string): number[] {
  const row = TABLE.split('\n').find((line) => line.startsWith(`${name} `))!
  return row
    .split(/ +/)
    .slice(1)
    .map((percent) => Number(percent) / 100)
}

const OFFICE_DAY = hoursOf('office')
const OFFICE_SATURDAY = hoursOf('officeSaturday')
const OFFICE_SUNDAY = hoursOf('officeSunday')
const MALL_DAY = hoursOf('mall')
const MALL_SUNDAY = hoursOf('mallSunday')
const EVENING_DAY = hoursOf('evenings')
const MALL_OFFICE_HOURS_DAY = hoursOf('mallOfficeHours')
const SHIFTS_DAY = hoursOf('shifts')
const MALL_24X7_DAY = hoursOf('mall24x7')

/**
 * The week of each building type and profile. The office in office hours and the mall with evening peaks come from
 * measured schedules; the other profiles are derived from these, with people at other hours.
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
      weekday: MALL_OFFICE_HOURS_DAY,
      friday: scaled(MALL_OFFICE_HOURS_DAY, 1.1),
      saturday: scaled(MALL_OFFICE_HOURS_DAY, 1.15),
      sunday: scaled(MALL_OFFICE_HOURS_DAY, 0.3),
    },
    '24x7': {
      weekday: MALL_24X7_DAY,
      friday: scaled(MALL_24X7_DAY, 1.1),
      saturday: scaled(MALL_24X7_DAY, 1.15),
      sunday: scaled(MALL_24X7_DAY, 0.9),
    },
  },
}

/** The people who are present, as a share of the building's capacity from 0 to 1, interpolated between full hours. */
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

/** The largest share from Monday to Thursday. The schedules of lighting and air handlers are relative to this share. */
export function peakShare({ buildingType, occupancyProfile }: BuildingSpec): number {
  return Math.max(...WEEKS[buildingType][occupancyProfile].weekday)
}
