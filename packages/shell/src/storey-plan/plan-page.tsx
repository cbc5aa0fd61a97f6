import type { SpaceNode } from '@storey/sdk'
import { EmptyState, ErrorPanel, LoadingState, setQuery, useRoute, useTexts } from '@storey/web'
import { lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useStorey } from '../building/use-storey.ts'
import { ColourPicker } from '../colouring/colour-picker.tsx'
import type { Colouring } from '../colouring/colouring.ts'
import { Legend } from '../colouring/legend.tsx'
import { useColouring } from '../colouring/use-colouring.ts'
import { NotAllMarked } from '../fault-marks/not-all-marked.tsx'
import { useValuesFailure } from '../live/live.tsx'
import { useVisibleText } from '../live/visible-text.ts'
import type { PlanMark } from '../plan/marks.tsx'
import { Plan } from '../plan/plan.tsx'
import { ReplayBar } from '../replay/replay-bar.tsx'
import { useReplay } from '../replay/use-replay.ts'
import { MissingNotice } from './missing-notice.tsx'
import { StoreyList } from './storey-list.tsx'
import styles from './storey-plan.module.css'
import { useFaultMarks } from './use-fault-marks.ts'

/** The plan is shown first, so the code of the table and the code of the panel are loaded later. */
const RoomTable = lazy(() => import('./room-table.tsx'))
const RoomPanel = lazy(() => import('../rooms/room-panel.tsx'))

/** The storeys of the building, the plan of one storey and its legend. */
export default function PlanPage(): ReactNode {
  const t = useTexts(shellTexts)
  const { query } = useRoute()
  const model = useBuildingData()
  const storey = useStorey()
  const spaces = useMemo(() => (storey ? model.spacesOf(storey.id) : []), [model, storey])
  const choice = useColouring()
  const values = useValuesFailure()
  const replay = useReplay(choice, spaces)
  const faults = useFaultMarks(replay.faults)
  const colouring = replay.colouring ?? choice.colouring
  // The plan changes first, and the legend in a later render, so that the page responds to a click faster.
  const legendColouring = useDeferredValue(colouring)
  const room = model.space(query.get('room') ?? '')
  const missing = {
    colour: choice.missing,
    storey: model.storeys.some(({ code }) => code === query.get('storey')) ? undefined : query.get('storey'),
    room: room ? undefined : query.get('room'),
  }
  const isTable = query.get('view') === 'table'
  const isAll = isTable && query.get('rooms') === 'all'
  const select = useCallback((space: SpaceNode) => setQuery({ room: space.id }), [])
  const withoutOutline = spaces.filter(({ polygon }) => !polygon || polygon.length < 3).length

  return (
    <main
      id="main"
      className={styles.page}
      tabIndex={-1}
      data-room={room ? '' : undefined}
      data-table={isTable ? '' : undefined}
    >
      <div className={styles.side}>
        <StoreyList current={storey} />
        <ColourPicker choice={choice} />
        {legendColouring ? <Legend colouring={legendColouring} spaces={spaces} /> : null}
        {colouring || choice.error !== undefined ? null : <LoadingState text={t('loadingLayer')} />}
        <ErrorPanel
          error={choice.error ?? values.error}
          onRetry={choice.error === undefined ? values.reload : undefined}
        />
      </div>
      <div className={styles.middle}>
        <div className={styles.heading}>
          <div>
            <h1>{isAll ? model.building.name : (storey?.name ?? model.building.name)}</h1>
            <p className="st-quiet">{t('rooms', { n: isAll ? model.spaces.length : spaces.length })}</p>
          </div>
          <ViewSwitch isTable={isTable} />
        </div>
        <div>
          <MissingNotice missing={missing} />
          {replay.session ? null : (
            <div className={styles.missing}>
              <NotAllMarked />
            </div>
          )}
        </div>
        {spaces.length === 0 ? (
          <EmptyState icon="building" title={t('noRooms')} />
        ) : isTable ? (
          <Suspense fallback={<LoadingState />}>
            <RoomTable spaces={spaces} colouring={colouring} />
          </Suspense>
        ) : (
          <>
            <ColouredPlan
              label={t('planOf', { storey: storey?.name ?? '' })}
              outline={storey?.polygon}
              spaces={spaces}
              colouring={colouring}
              marks={faults.marks}
              selectedId={room?.id}
              onSelect={select}
            />
            <p className={styles.hint}>{withoutOutline > 0 ? t('noOutline', { n: withoutOutline }) : t('planKeys')}</p>
          </>
        )}
        <ReplayBar replay={replay} />
      </div>
      {room ? (
        <Suspense fallback={<LoadingState />}>
          <RoomPanel
            space={room}
            replay={replay.session && { session: replay.session, faults: faults.at(room.id) }}
            onClose={() => setQuery({ room: null })}
          />
        </Suspense>
      ) : null}
    </main>
  )
}

interface ColouredPlanProps {
  label: string
  spaces: readonly SpaceNode[]
  outline: number[][] | null | undefined
  marks: ReadonlyMap<string, PlanMark>
  colouring: Colouring | undefined
  selectedId: string | undefined
  onSelect(space: SpaceNode): void
}

function ColouredPlan({ colouring, ...rest }: ColouredPlanProps): ReactNode {
  const t = useTexts(shellTexts)
  const times = useBuildingTimes()
  const visibleText = useVisibleText()
  const colourOf = useCallback((space: SpaceNode) => colouring?.shadeOf(space)?.color, [colouring])
  const describe = useCallback(
    (space: SpaceNode) => {
      if (!colouring) return undefined
      const text = colouring.textOf(space)
      if (text === undefined) return `${colouring.title}: ${t('noValue')}`
      const label = colouring.shadeOf(space)?.label
      const unit = colouring.unitOf?.(space)
      const value = unit ? `${text} ${unit}` : visibleText(text)
      const shade = label === undefined || label === text ? '' : ` (${label})`
      const at = colouring.atOf?.(space)
      return `${colouring.title}: ${value}${shade}${at === undefined ? '' : `, ${times.dateTime(at)}`}`
    },
    [colouring, t, times, visibleText],
  )
  const textOf = useCallback(
    (space: SpaceNode) => {
      // The type of a room is not written on the plan, because the name of the room usually contains it.
      const text = colouring?.id === 'type' ? undefined : colouring?.textOf(space)
      return text === undefined ? undefined : visibleText(text)
    },
    [colouring, visibleText],
  )
  return <Plan {...rest} colourOf={colourOf} textOf={textOf} describe={describe} watch={colouring?.watch} />
}

function ViewSwitch({ isTable }: { isTable: boolean }): ReactNode {
  const t = useTexts(shellTexts)
  return (
    <fieldset className="st-segments" aria-label={t('view')}>
      <button type="button" aria-pressed={!isTable} onClick={() => setQuery({ view: null })}>
        {t('asPlan')}
      </button>
      <button type="button" aria-pressed={isTable} onClick={() => setQuery({ view: 'table' })}>
        {t('asTable')}
      </button>
    </fieldset>
  )
}
