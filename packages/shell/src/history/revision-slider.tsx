import type { RevisionRecord, SnapshotRecord } from '@storey/sdk'
import { Button, Link, Panel, Select, useWords } from '@storey/web'
import { type ReactNode, useId } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../teamwork/actor-name.tsx'
import type { Change } from './changes.ts'
import styles from './history.module.css'
import { sentenceOf } from './revision-sentence.ts'
import { historyWords } from './words.ts'

interface RevisionSliderProps {
  /** The oldest first. */
  revisions: readonly RevisionRecord[]
  snapshots: readonly SnapshotRecord[]
  at: RevisionRecord
  /** What it changed, where that is known: it has names and codes. */
  changes: readonly Change[]
  /** A revision or the name of a snapshot; null: the revision before. */
  from: string | null
  /** There are older ones, which it brings. */
  onOlder: (() => void) | undefined
  onAt(revision: number): void
  onFrom(moment: string | null): void
}

const BEFORE = ''

/** Which revision is looked at, and what it is compared with. */
export function RevisionSlider(props: RevisionSliderProps): ReactNode {
  const { revisions, snapshots, at, changes, from, onOlder, onAt, onFrom } = props
  const t = useWords(historyWords)
  const times = useBuildingTimes()
  const id = useId()
  const place = revisions.indexOf(at)
  const last = revisions.at(-1)!
  const go = (n: number) => {
    const next = revisions[n]
    if (next) onAt(next.revision)
  }
  const sentence = sentenceOf(at.summary, t, changes)
  const named = snapshots.find(({ revision }) => revision === at.revision)
  const moments = [
    { value: BEFORE, label: t('previous') },
    ...snapshots.map(({ name, revision }) => ({ value: name, label: t('snapshot', { name, n: String(revision) }) })),
    ...revisions
      .filter((one) => one !== at)
      .toReversed()
      .map(({ revision, at: when }) => ({
        value: String(revision),
        label: `${t('revision', { n: String(revision) })}, ${times.dateTime(when)}`,
      })),
  ]
  // An address may name any moment, also one that is in neither list.
  if (from !== null && moments.every(({ value }) => value !== from)) moments.push({ value: from, label: from })
  return (
    <Panel>
      <div className={styles.slider}>
        {onOlder ? <Button small label={t('older')} onClick={onOlder} /> : null}
        <Button icon="chevron" iconOnly label={t('earlier')} disabled={place <= 0} onClick={() => go(place - 1)} />
        <div className={styles.track}>
          <label htmlFor={id} className="st-unseen">
            {t('slider')}
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={revisions.length - 1}
            value={place}
            aria-valuetext={`${t('revision', { n: String(at.revision) })}, ${sentence}`}
            onChange={(event) => go(Number(event.target.value))}
          />
        </div>
        <Button icon="chevron" iconOnly label={t('later')} disabled={at === last} onClick={() => go(place + 1)} />
      </div>
      <div className={styles.moment}>
        <div>
          <p className={styles.revision}>
            <strong>{t('revisionOf', { n: String(at.revision), last: String(last.revision) })}</strong>
            {named ? <span className={styles.snapshot}>{named.name}</span> : null}
          </p>
          <p>
            {sentence}
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
          value={from ?? BEFORE}
          options={moments}
          onValue={(value) => onFrom(value === BEFORE ? null : value)}
        />
      </div>
    </Panel>
  )
}
