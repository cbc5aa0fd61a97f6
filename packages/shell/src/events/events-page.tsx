import { Button, ButtonLink, Code, EmptyState, Note, Page, Panel, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useLiveStatus } from '../live/live.tsx'
import { useSimulation } from '../simulation/use-simulation.ts'
import { clearFilter, EventFilters, useEventFilter } from './event-filters.tsx'
import { EventList } from './event-list.tsx'
import { isEvent, type LoggedEvent, type LogView, missedSince } from './event-log.ts'
import styles from './events.module.css'
import { createSearchTexts, filterEvents, idsBelow, toJson } from './filter-events.ts'
import { eventTexts } from './texts.ts'
import { useEventLog } from './use-event-log.ts'

/** The events of the live channel as they arrive. */
export default function EventsPage(): ReactNode {
  const t = useTexts(eventTexts)
  const toasts = useToasts()
  const building = useBuildingData()
  const { log, view: current } = useEventLog()
  const filter = useEventFilter()
  const [paused, setPaused] = useState<LogView>()
  const [selected, setSelected] = useState<LoggedEvent>()
  const view = paused ?? current
  const textOf = useMemo(() => createSearchTexts(building), [building])
  const ids = useMemo(
    () => (filter.nodeId === '' ? undefined : idsBelow(building, filter.nodeId)),
    [building, filter.nodeId],
  )
  const entries = useMemo(
    () => filterEvents(view.entries, filter, building, textOf),
    [view.entries, filter, building, textOf],
  )
  const shown = entries.filter(isEvent).length
  const total = view.entries.filter(isEvent).length
  const copy = () =>
    navigator.clipboard.writeText(toJson(entries)).then(
      () => toasts.show(t('copied', { n: shown })),
      () => toasts.show(t('copyFailed'), 'bad'),
    )
  const clear = () => {
    log.clear()
    setSelected(undefined)
    // The view stays paused, and counts the events that arrive from now on.
    if (paused) setPaused(log.view())
  }
  const select = (id: number) => {
    const found = view.entries.find((entry) => entry.id === id)
    setSelected(found && isEvent(found) && found.id !== selected?.id ? found : undefined)
  }
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      wide
      actions={
        <>
          <Button
            kind={paused ? 'primary' : 'plain'}
            icon={paused ? 'play' : 'pause'}
            label={t(paused ? 'resume' : 'pause')}
            onClick={() => setPaused(paused ? undefined : current)}
          />
          <Button icon="copy" label={t('copyAll')} disabled={shown === 0} onClick={() => void copy()} />
          <Button icon="trash" label={t('clear')} disabled={current.added === 0} onClick={clear} />
        </>
      }
    >
      <EventFilters filter={filter} view={current} />
      {paused ? <PausedNote paused={paused} current={current} /> : null}
      <div className={selected ? styles.columns : undefined}>
        <Panel flush>
          {entries.length > 0 ? (
            <EventList entries={entries} ids={ids} selected={selected?.id} onSelect={select} />
          ) : (
            <NoEvents isFiltered={total > 0} />
          )}
          <div className={styles.foot}>
            <span className="st-quiet">
              {shown === total ? t('count', { n: total }) : t('countOf', { shown, n: total })}
            </span>
            {view.dropped > 0 ? <span className="st-quiet">{t('dropped', { n: view.dropped })}</span> : null}
          </div>
        </Panel>
        {selected ? <EventDetail event={selected} onClose={() => setSelected(undefined)} /> : null}
      </div>
    </Page>
  )
}

/** What the paused view does not show. */
function PausedNote({ paused, current }: { paused: LogView; current: LogView }): ReactNode {
  const t = useTexts(eventTexts)
  const { total, byKind, lost } = missedSince(paused, current)
  if (total === 0) return <Note>{t('pausedNone')}</Note>
  const kinds = byKind.map(([kind, count]) => (kind === 'gap' ? t('gap', { n: count }) : `${count} ${kind}`)).join(', ')
  return (
    <Note>
      {t('paused', { n: total })}: {kinds}. {lost > 0 ? t('lost', { n: lost }) : null}
    </Note>
  )
}

function NoEvents({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const t = useTexts(eventTexts)
  const status = useLiveStatus()
  const { data } = useSimulation()
  if (isFiltered) {
    return (
      <EmptyState
        icon="search"
        title={t('noMatch')}
        action={<Button label={t('clearFilter')} onClick={clearFilter} />}
      />
    )
  }
  if (status !== 'live') return <EmptyState icon="warning" title={t('noneOffline')} text={t('noneOfflineText')} />
  if (data?.record.running === false) {
    const toSimulation = <ButtonLink to="/simulation" icon="play" label={t('toSimulation')} />
    return <EmptyState icon="pause" title={t('noneStopped')} text={t('noneStoppedText')} action={toSimulation} />
  }
  return <EmptyState icon="pulse" title={t('none')} text={t('noneText')} />
}

function EventDetail({ event, onClose }: { event: LoggedEvent; onClose(): void }): ReactNode {
  const t = useTexts(eventTexts)
  const { kind, sequence, fields } = event
  return (
    <aside className={styles.detail} aria-label={t('event')}>
      <Panel
        title={kind}
        lead={t('sequence', { number: String(sequence) })}
        actions={<Button icon="cross" iconOnly kind="quiet" small label={t('closeEvent')} onClick={onClose} />}
      >
        <div className={styles.json}>
          <Code title="JSON" text={JSON.stringify(fields, null, 2)} />
        </div>
      </Panel>
    </aside>
  )
}
