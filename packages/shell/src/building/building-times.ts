import { type Locale, useLocale } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from './building-data.tsx'

type Moment = string | number

/** Moments as the clocks in the building show them, whoever looks and from wherever. */
export interface BuildingTimes {
  /** With the name of the zone where the reader's own clock shows something else. */
  dateTime(moment: Moment): string
  /** To the minute, for places that name the zone themselves. */
  minute(moment: Moment): string
  /** To the second, likewise. */
  second(moment: Moment): string
  /**
   * How moments are written beside each other: with the name of the zone where the clocks were changed between them, as
   * one hour of that night comes twice.
   */
  among(moments: readonly Moment[], to: 'minute' | 'second'): (moment: Moment) => string
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const

export function buildingTimes(locale: Locale, timeZone: string, readersZone?: string): BuildingTimes {
  const formatter = (options: Intl.DateTimeFormatOptions, zone: string | undefined) =>
    new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { ...options, timeZone: zone })
  const here = formatter(MINUTE, readersZone)
  const there = formatter(MINUTE, timeZone)
  const named = formatter({ ...MINUTE, timeZoneName: 'short' }, timeZone)
  const exact = formatter({ ...MINUTE, second: '2-digit' }, timeZone)
  const exactNamed = formatter({ ...MINUTE, second: '2-digit', timeZoneName: 'short' }, timeZone)
  const offset = formatter({ timeZoneName: 'longOffset' }, timeZone)
  const offsetAt = (moment: Moment) =>
    offset.formatToParts(new Date(moment)).find(({ type }) => type === 'timeZoneName')?.value
  return {
    dateTime(moment) {
      const at = new Date(moment)
      const text = there.format(at)
      return text === here.format(at) ? text : named.format(at)
    },
    minute: (moment) => there.format(new Date(moment)),
    second: (moment) => exact.format(new Date(moment)),
    among(moments, to) {
      const isOneClock = new Set(moments.map(offsetAt)).size <= 1
      const format = to === 'minute' ? (isOneClock ? there : named) : isOneClock ? exact : exactNamed
      return (moment) => format.format(new Date(moment))
    },
  }
}

export function useBuildingTimes(): BuildingTimes {
  const locale = useLocale()
  const { timezone } = useBuildingData().building
  return useMemo(() => buildingTimes(locale, timezone), [locale, timezone])
}
