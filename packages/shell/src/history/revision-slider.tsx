import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'
import { Button, Link, Panel, Select, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useId } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import type { Change } from './changes.ts'
import styles from './history.module.css'
import { revisionText } from './revision-text.ts'
import { historyTexts } from './texts.ts'

interface RevisionSliderProps {
  /** Oldest first. */
  revisions: readonly RevisionRecord[]
  snapshots: readonly SnapshotRecord[]
  at: RevisionRecord
  /** The changes from the compared revision to `at`; empty until they are loaded. */
  changes: readonly Change[]
  /** The revision number, snapshot name or time to compare `at` with; null is the previous revision. */
  from: string | null
  /** Loads older revisions; undefined if no older ones can be loaded. */
  onOlder: (() => void) | undefined
  onAt(revision: number): void
  onFrom(from: string | null): void
}

const PREVIOUS = ''

/** Selects a revision and the one to compare it with. */
export function RevisionSlider(props: RevisionSliderProps): ReactNode {
  const { revisions, snapshots, at, changes, from, onOlder, onAt, onFrom } = props
  const t = useTexts(historyTexts)
  const locale = useLocale()
  const times = useBuildingTimes()
  const id = useId()
  const index = revisions.indexOf(at)
  const last = revisions.at(-1)!
  const go = (n: number) => {
    const next = revisions[n]
    if (next) onAt(next.revision)
  }
  const text = revisionText(at.summary, t, locale, changes)
  const snapshot = snapshots.find(({ revision }) => revision === at.revision)
  const options = [
    { value: PREVIOUS, label: t('previous') },
    ...snapshots.map(({ name, revision }) => ({ value: name, label: t('snapshot', { name, n: String(revision) }) })),
    ...revisions
      .filter((one) => one !== at)
      .toReversed()
      .map(({ revision, at: when }) => ({
        value: String(revision),
        label: `${t('revision', { n: String(revision) })}, ${times.dateTime(when)}`,
      })),
  ]
  // The URL may contain a revision or a time that is not among the options.
  if (from !== null && options.every(({ value }) => value !== from)) options.push({ value: from, label: from })
  return (
    <Panel>
      <div className={styles.slider}>
        {onOlder ? <Button small label={t('older')} onClick={onOlder} /> : null}
        <Button icon="chevron" iconOnly label={t('earlier')} disabled={index <= 0} onClick={() => go(index - 1)} />
        <div className={styles.track}>
          <label htmlFor={id} className="st-visually-hidden">
            {t('slider')}
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={revisions.length - 1}
            value={index}
            aria-valuetext={`${t('revision', { n: String(at.revision) })}, ${text}`}
            onChange={(event) => go(Number(event.target.value))}
          />
        </div>
        <Button icon="chevron" iconOnly label={t('later')} disabled={at === last} onClick={() => go(index + 1)} />
      </div>
      <div className={styles.selected}>
        <div>
          <p className={styles.revision}>
            <strong>{t('revisionOf', { n: String(at.revision), last: String(last.revision) })}</strong>
            {snapshot ? <span className={styles.snapshot}>{snapshot.name}</span> : null}
          </p>
          <p>
            {text}
            {at.changesetId ? (
              <>
                {' · '}
                <Link to={`/changesets/${at.changesetId}`}>{t('changeset')}</Link>
              </>
            ) : null}
          </p>
          <p className="st-quiet">
            <time dateTime={at.at}>{times.dateTime(at.at)}</time> {t('by')} <ActorName actor={at.actor} /> ·{' '}
            {t('changes', { n: at.changes })}
          </p>
        </div>
        <Select
          label={t('compareWith')}
          value={from ?? PREVIOUS}
          options={options}
          onValue={(value) => onFrom(value === PREVIOUS ? null : value)}
        />
      </div>
    </Panel>
  )
}
