import { useLocale } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'

/** Moments as the clocks in the building show them. */
export function useMoments(seconds = false): (at: number) => string {
  const locale = useLocale()
  const { timezone } = useBuildingData().building
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
      dateStyle: 'medium',
      timeStyle: seconds ? 'medium' : 'short',
      timeZone: timezone,
    })
    return (at) => format.format(at)
  }, [locale, timezone, seconds])
}
