import type { RequestRecord } from '@storey/sdk'
import {
  Button,
  ErrorPanel,
  LoadingState,
  Panel,
  TextArea,
  useAction,
  useLoad,
  useTexts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { ActorName } from '../collaboration/actor-name.tsx'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { useReloadOn } from '../live/use-reload-on.ts'
import { readComments } from './read-comments.ts'
import styles from './requests.module.css'
import { requestTexts } from './texts.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

interface CommentsProps {
  requestId: string
  /** The version of the request. A new version reloads the comments, because a change of state can add a comment. */
  version: string
  onChange(request: RequestRecord): void
}

export function Comments({ requestId, version, onChange }: CommentsProps): ReactNode {
  const t = useTexts(requestTexts)
  const times = useBuildingTimes()
  const { client, may } = useShell()
  const list = useLoad(['comments', requestId], (signal) => readComments(client, requestId, signal), {
    pollMs: () => POLL_MS,
    changes: 'requests',
  })
  useReloadOn(requestId, version, list.reload)
  const [text, setText] = useState('')
  useUnsavedGuard(text.trim() !== '')
  const add = useAction(async () => {
    await client.requests.comments(requestId).create({ text: text.trim() })
    setText('')
    // A comment changes the version of the request. The next change needs the new version. The new version also causes
    // the comments to be reloaded.
    onChange(await client.requests.get(requestId))
  })
  const container = useReturnFocus<HTMLFormElement>(add.isBusy)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void add.run()
  }
  const rows = list.data
  return (
    <Panel title={t('comments')}>
      <div className="st-stack">
        <ErrorPanel error={list.error} onRetry={list.reload} />
        {rows === undefined && list.error === undefined ? <LoadingState /> : null}
        {rows?.length === 0 ? <p className="st-quiet">{t('noComments')}</p> : null}
        {rows && rows.length > 0 ? (
          <ol className={styles.comments}>
            {rows.map(({ id, text: comment, author, createdAt }) => (
              <li key={id}>
                <p>
                  <strong>
                    <ActorName actor={author} />
                  </strong>{' '}
                  <time dateTime={createdAt} className="st-quiet">
                    {times.dateTime(createdAt)}
                  </time>
                </p>
                <p className={styles.text}>{comment}</p>
              </li>
            ))}
          </ol>
        ) : null}
        {may('service-desk.requests:create') ? (
          <form className="st-stack" ref={container} tabIndex={-1} onSubmit={onSubmit}>
            <TextArea label={t('comment')} rows={3} maxLength={2000} value={text} onText={setText} />
            <div className="st-row">
              <Button type="submit" label={t('addComment')} disabled={text.trim() === ''} isBusy={add.isBusy} />
            </div>
            <ErrorPanel error={add.error} />
          </form>
        ) : null}
      </div>
    </Panel>
  )
}
