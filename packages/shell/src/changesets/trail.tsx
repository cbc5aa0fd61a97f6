import type { ChangesetRecord } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import styles from './changesets.module.css'
import { changesetTexts } from './texts.ts'

/** The activity of a changeset, newest first. */
export function Trail({ trail }: Pick<ChangesetRecord, 'trail'>): ReactNode {
  const t = useTexts(changesetTexts)
  const times = useBuildingTimes()
  return (
    <ol className={styles.trail}>
      {trail.toReversed().map(({ at, actor, action, comment, revision }) => (
        <li key={`${at} ${action}`}>
          <p>
            <strong>
              <ActorName actor={actor} />
            </strong>{' '}
            {t(action)}
            {revision === null ? null : (
              <>
                {', '}
                <Link to={`/history?at=${revision}`}>{t('asRevision', { n: String(revision) })}</Link>
              </>
            )}
          </p>
          {comment ? <blockquote>{comment}</blockquote> : null}
          <p className="st-quiet">
            <time dateTime={at}>{times.dateTime(at)}</time>
          </p>
        </li>
      ))}
    </ol>
  )
}
