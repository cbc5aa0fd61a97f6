import { type Locale, useLocale } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from './building-data.tsx'

type Instant = string | number

/** Formats instants in the time zone of the building. */
export interface BuildingTimes {
  /** Names the zone if the user's local time differs. */
  dateTime(instant: Instant): string
  /** Omits the zone, for pages that name the zone themselves. */
  minute(instant: Instant): string
  /** Adds the seconds and omits the zone. */
  second(instant: Instant): string
  /**
   * Returns a function that formats the given instants. The function names the zone if the clocks change between the
   * instants, because an hour may then occur twice.
   */
  formatter(instants: readonly Instant[], to: 'minute' | 'second'): (instant: Instant) => string
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const

export function buildingTimes(locale: Locale, timeZone: string, userZone?: string): BuildingTimes {
  const dateFormat = (options: Intl.DateTimeFormatOptions, zone: string | undefined) =>
    new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { ...options, timeZone: zone })
  const local = dateFormat(MINUTE, userZone)
  const minutes = dateFormat(MINUTE, timeZone)
  const minutesZone = dateFormat({ ...MINUTE, timeZoneName: 'short' }, timeZone)
  const seconds = dateFormat({ ...MINUTE, second: '2-digit' }, timeZone)
  const secondsZone = dateFormat({ ...MINUTE, second: '2-digit', timeZoneName: 'short' }, timeZone)
  const offset = dateFormat({ timeZoneName: 'longOffset' }, timeZone)
  const offsetAt = (instant: Instant) =>
    offset.formatToParts(new Date(instant)).find(({ type }) => type === 'timeZoneName')?.value
  return {
    dateTime(instant) {
      const at = new Date(instant)
      const text = minutes.format(at)
      return text === local.format(at) ? text : minutesZone.format(at)
    },
    minute: (instant) => minutes.format(new Date(instant)),
    second: (instant) => seconds.format(new Date(instant)),
    formatter(instants, to) {
      const hasOneOffset = new Set(instants.map(offsetAt)).size <= 1
      const format = to === 'minute' ? (hasOneOffset ? minutes : minutesZone) : hasOneOffset ? seconds : secondsZone
      return (instant) => format.format(new Date(instant))
    },
  }
}

export function useBuildingTimes(): BuildingTimes {
  const locale = useLocale()
  const { timezone } = useBuildingData().building
  return useMemo(() => buildingTimes(locale, timezone), [locale, timezone])
}
