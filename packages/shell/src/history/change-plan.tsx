import { EmptyState, navigate, useLocale, useTexts, withNames } from '@storey/web'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { Plan } from '../plan/plan.tsx'
import type { Change } from './changes.ts'
import type { PlanGraph } from './graph-at.ts'
import styles from './history.module.css'
import {
  type ChangeMark,
  MARK_SIGNS,
  marksByRoom,
  marksByStorey,
  roomsWithChanges,
  storeysWithChanges,
} from './node-changes.ts'
import { historyTexts } from './texts.ts'

interface ChangePlanProps {
  changes: readonly Change[]
  /** The building after the changes, or, for a preview, before them. */
  graph: PlanGraph
}

const MARKS: readonly ChangeMark[] = ['added', 'removed', 'changed']

/** Changes on the plan of a storey that the user selects. The marks differ in colour, pattern, sign and text. */
export function ChangePlan({ changes, graph }: ChangePlanProps): ReactNode {
  const t = useTexts(historyTexts)
  const locale = useLocale()
  const building = useBuildingData()
  const marks = useMemo(() => marksByRoom(changes, graph), [changes, graph])
  const rooms = useMemo(() => withNames('space', roomsWithChanges(changes, graph), locale), [changes, graph, locale])
  const counts = useMemo(() => marksByStorey(marks, rooms), [marks, rooms])
  const storeys = useMemo(
    () => withNames('storey', storeysWithChanges(changes, graph), locale),
    [changes, graph, locale],
  )
  const first = storeys.find(({ id }) => counts.has(id)) ?? storeys.at(-1)
  const [selected, setSelected] = useState<string>()
  // New changes may be on other storeys, so the selection is reset.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selection belongs to these changes
  useEffect(() => setSelected(undefined), [changes])
  const storey = storeys.find(({ id }) => id === selected) ?? first
  const shown = useMemo(() => rooms.filter(({ storeyId }) => storeyId === storey?.id), [rooms, storey])
  const planMarks = useMemo(() => new Map([...marks].map(([id, kind]) => [id, { kind, label: t(kind) }])), [marks, t])
  if (!storey) return <EmptyState title={t('noPlan')} />
  const n = counts.get(storey.id) ?? 0
  const marked = n === 0 ? t('noneMarked') : t('rooms', { n })
  return (
    <div className={styles.planWithStoreys}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div className={styles.storeys} role="group" aria-label={t('storey')}>
        {storeys.map(({ id, code, name }) => (
          <button key={id} type="button" aria-pressed={id === storey.id} title={name} onClick={() => setSelected(id)}>
            <span>{code || name}</span>
            {counts.has(id) ? <span className={styles.count}>{counts.get(id)}</span> : null}
          </button>
        ))}
      </div>
      <div className={styles.planFrame}>
        <Plan
          label={t('planOf', { storey: storey.name, marked })}
          spaces={shown}
          outline={storey.polygon}
          marks={planMarks}
          onSelect={({ id }) => building.space(id) && navigate(`/rooms/${id}`)}
        />
        <ul className={styles.legend}>
          {MARKS.map((mark) => (
            <li key={mark} data-mark={mark}>
              <span aria-hidden="true">{MARK_SIGNS[mark]}</span>
              {t(mark)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
