import { Button, Icon, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { isEvent, type LogEntry } from './event-log.ts'
import { useEventSummary } from './event-summary.ts'
import styles from './events.module.css'
import { eventTexts } from './texts.ts'

/** How many rows are shown at first, and how many more each "Show more" adds. */
const PAGE = 200

interface EventListProps {
  /** Sorted with the oldest entry first. The list shows the newest entry first. */
  entries: readonly LogEntry[]
  ids: ReadonlySet<string> | undefined
  selected: number | undefined
  onSelect(id: number): void
}

export function EventList({ entries, ids, selected, onSelect }: EventListProps): ReactNode {
  const t = useTexts(eventTexts)
  const locale = useLocale()
  const { timezone } = useBuildingData().building
  const summaryOf = useEventSummary(ids)
  const [limit, setLimit] = useState(PAGE)
  const clock = useMemo(
    () =>
      new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
        ...{ timeZone: timezone, hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
      }),
    [locale, timezone],
  )
  const shown = entries.slice(-limit).reverse()
  const hidden = entries.length - shown.length
  return (
    <>
      <ol className={styles.list} aria-label={t('title')}>
        {shown.map((entry) => (
          <li key={entry.id}>
            {isEvent(entry) ? (
              <button
                type="button"
                className={styles.event}
                aria-pressed={entry.id === selected}
                onClick={() => onSelect(entry.id)}
              >
                <time dateTime={new Date(entry.at).toISOString()}>{clock.format(entry.at)}</time>
                <code>{entry.kind}</code>
                <span>{summaryOf(entry)}</span>
              </button>
            ) : (
              <div className={styles.gap}>
                <time dateTime={new Date(entry.at).toISOString()}>{clock.format(entry.at)}</time>
                <Icon name="warning" size={14} />
                <span>{entry.reason === 'slow' ? t('slow', { n: entry.count ?? 0 }) : t('interrupted')}</span>
              </div>
            )}
          </li>
        ))}
      </ol>
      {hidden > 0 ? (
        <div className={styles.more}>
          <Button small label={t('more', { n: Math.min(PAGE, hidden) })} onClick={() => setLimit(limit + PAGE)} />
        </div>
      ) : null}
    </>
  )
}
