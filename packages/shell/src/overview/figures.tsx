import { Link, useFormat, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useOverdueRequests } from '../app/navigation-counts.tsx'
import { useBuildingData } from '../building/building-data.tsx'
import { type Signal, signalsOf } from '../colouring/signals.ts'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { useFaultCounts } from '../fault-marks/use-fault-index.ts'
import { SEVERITIES } from '../faults/severities.ts'
import { faultTexts } from '../faults/texts.ts'
import { useValueStore, useValuesComplete } from '../live/live.tsx'
import { COMFORT, comfortOf, comfortShare, comfortSignals } from './comfort.ts'
import { EnergyFigure } from './energy-figure.tsx'
import { Figure } from './figure.tsx'
import styles from './overview.module.css'
import { peopleIn } from './people.ts'
import { overviewTexts } from './texts.ts'
import { useValueChanges } from './use-value-changes.ts'

/** The key figures of the building. Each figure links to the page that shows its details. */
export function Figures(): ReactNode {
  const model = useBuildingData()
  const signals = useMemo(() => signalsOf(model), [model])
  const changes = useValueChanges()
  return (
    <ul className={styles.figures}>
      <Faults />
      <Overdue />
      <Comfort signals={signals} changes={changes} />
      <EnergyFigure />
      <People signals={signals} changes={changes} />
    </ul>
  )
}

function Faults(): ReactNode {
  const t = useTexts(overviewTexts)
  const severityText = useTexts(faultTexts)
  const format = useFormat()
  const data = useFaultCounts()
  const present = data ? SEVERITIES.filter((severity) => data.open[severity] > 0) : []
  const open = data && present.reduce((sum, severity) => sum + data.open[severity], 0)
  const acknowledged = data ? data.total - open! : 0
  return (
    <Figure
      label={t('openFaults')}
      value={open === undefined ? undefined : format.number(open)}
      to="/faults"
      tone={present.includes('critical') ? 'bad' : undefined}
    >
      {data && open === 0 ? t('noFaults') : null}
      {present.map((severity) => {
        const text = t('severityCount', { severity: severityText(severity), n: data!.open[severity] })
        return (
          <Link key={severity} className={styles.severity!} to={`/faults?severity=${severity}`} title={text}>
            <SeverityMark severity={severity} />
            <span aria-hidden="true">{format.number(data!.open[severity])}</span>
            <span className="st-visually-hidden">{text}</span>
          </Link>
        )
      })}
      {acknowledged > 0 ? <span>{t('acknowledgedCount', { n: acknowledged })}</span> : null}
    </Figure>
  )
}

function Overdue(): ReactNode {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const n = useOverdueRequests()
  return (
    <Figure
      label={t('overdue')}
      value={n === undefined ? undefined : format.number(n)}
      to={n ? '/requests?overdue=true' : '/requests'}
      tone={n ? 'bad' : undefined}
    >
      {n === undefined ? null : t(n === 0 ? 'noOverdue' : 'overdueText')}
    </Figure>
  )
}

interface ValueFigureProps {
  signals: readonly Signal[]
  changes: number
}

function Comfort({ signals, changes }: ValueFigureProps): ReactNode {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const model = useBuildingData()
  const values = useValueStore()
  const isComplete = useValuesComplete()
  const measured = useMemo(() => comfortSignals(signals), [signals])
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts again when values change
  const comfort = useMemo(() => comfortOf(model, measured, values), [model, measured, values, changes])
  const { minC, maxC, maxPpm } = COMFORT
  const placeholders = { n: comfort.comfortable, total: comfort.measured, from: minC, to: maxC }
  const isKnown = isComplete && comfort.measured > 0
  return (
    <Figure
      label={t('comfort')}
      value={isKnown ? format.percent(comfortShare(comfort)) : isComplete ? '–' : undefined}
      to={planOf(model.storey(comfort.worstStoreyId ?? '')?.code, measured.temperature)}
    >
      {isKnown
        ? measured.co2
          ? t('comfortText', { ...placeholders, ppm: maxPpm })
          : t('comfortTextPlain', placeholders)
        : isComplete
          ? t('noComfort')
          : null}
    </Figure>
  )
}

function People({ signals, changes }: ValueFigureProps): ReactNode {
  const t = useTexts(overviewTexts)
  const format = useFormat()
  const model = useBuildingData()
  const values = useValueStore()
  const isComplete = useValuesComplete()
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts again when values change
  const found = useMemo(() => (isComplete ? peopleIn(model, values) : undefined), [model, values, isComplete, changes])
  const slug = found?.people === undefined ? 'occupancy-sensor' : 'people-counter'
  const signal = signals.find(({ pointsBySpace }) => {
    const [points] = pointsBySpace.values()
    return model.element(points?.[0]?.elementId ?? '')?.elementTypeSlug === slug
  })
  return (
    <Figure
      label={t(found?.people === undefined ? 'occupied' : 'people')}
      value={found ? format.number(found.people ?? found.occupied) : isComplete ? '–' : undefined}
      to={planOf(model.storey(found?.fullestStoreyId ?? '')?.code, signal)}
    >
      {found ? t('peopleText', { n: found.occupied, total: found.sensed }) : isComplete ? t('noPeople') : null}
    </Figure>
  )
}

/** The path to the plan of a storey, coloured by a signal. */
function planOf(storey: string | undefined, signal: Signal | undefined): string {
  const query = new URLSearchParams()
  if (storey !== undefined) query.set('storey', storey)
  if (signal) query.set('colour', `live:${signal.id}`)
  return `/plan?${query}`
}
