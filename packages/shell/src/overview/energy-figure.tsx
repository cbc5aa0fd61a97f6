import { useFormat, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { unitText } from '../building/catalog-names.ts'
import { useSimulation } from '../simulation/use-simulation.ts'
import type { EnergyToday } from './energy.ts'
import { Figure } from './figure.tsx'
import { localWeekday } from './local-day.ts'
import { overviewTexts } from './texts.ts'
import { useEnergy } from './use-energy.ts'

/** Today's consumption until now, compared with that of an earlier day until the same time of day. */
export function EnergyFigure(): ReactNode {
  const t = useTexts(overviewTexts)
  const locale = useLocale()
  const format = useFormat()
  const { meters, today, isLoading, error } = useEnergy()
  const point = meters.main[0]
  const value = today ? format.number(today.kwh) : isLoading ? undefined : '–'
  const unit = today ? unitText('KiloW-HR', locale) : undefined
  return (
    <Figure label={t('energyToday')} value={value} unit={unit} to={point ? `/points/${point.id}` : '/equipment'}>
      {today ? (
        <>
          <Comparison today={today} />
          <SimulatedPace />
        </>
      ) : isLoading || error !== undefined ? null : (
        t(point ? 'noEnergy' : 'noMeter')
      )}
    </Figure>
  )
}

/** Explains why the meters run faster than the clock: simulated time runs faster. */
function SimulatedPace(): ReactNode {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const record = useSimulation().data?.record
  if (!record?.running || record.speed === 1) return null
  return <span>{t('pace', { speed: format.number(record.speed) })}</span>
}

/** If the relative difference is smaller than this, the two consumptions count as equal. */
const MIN_SHARE = 0.005

function Comparison({ today }: { today: EnergyToday }): ReactNode {
  const t = useTexts(overviewTexts)
  const locale = useLocale()
  const format = useFormat()
  const { timezone } = useBuildingData().building
  const tag = locale === 'en' ? 'en-GB' : locale
  const { before, until } = today
  const time = new Intl.DateTimeFormat(tag, { timeZone: timezone, timeStyle: 'short' }).format(until)
  if (!before) return t('noWeekAgo', { time })
  const day = localWeekday(until, timezone, before.daysAgo, tag)
  const change = before.kwh === 0 ? 0 : today.kwh / before.kwh - 1
  const share = format.percent(Math.abs(change))
  const kind = before.kwh === 0 ? 'none' : Math.abs(change) < MIN_SHARE ? 'same' : change > 0 ? 'more' : 'less'
  const placeholders = { share, day }
  return (
    <span title={t('until', { time, value: `${format.number(before.kwh)}\u00a0${unitText('KiloW-HR', locale)}` })}>
      {before.daysAgo === 1 ? t(`${kind}Yesterday`, placeholders) : t(kind, placeholders)}, {t('untilTime', { time })}
    </span>
  )
}
