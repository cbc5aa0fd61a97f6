import { Button, Note, placeOf, returnFocus, setQuery, useWords } from '@storey/web'
import type { MouseEvent, ReactNode } from 'react'
import styles from './overview.module.css'
import { overviewWords } from './words.ts'

const KINDS = ['storey', 'room', 'colour'] as const

/** What the address names and the building does not have, by the parameter of the address. */
type Missing = Readonly<Record<(typeof KINDS)[number], string | null | undefined>>

/** Says what is not there, and takes it out of the address. Always there, so that a reader of the screen hears it. */
export function NotThere({ missing }: { missing: Missing }): ReactNode {
  const t = useWords(overviewWords)
  const gone = KINDS.filter((kind) => missing[kind])
  const clear = ({ currentTarget }: MouseEvent) => {
    returnFocus(placeOf(currentTarget))
    setQuery(Object.fromEntries(gone.map((kind) => [kind, null])))
  }
  return (
    <div role="status" className={styles.notThere}>
      {gone.length > 0 ? (
        <Note tone="warn">
          <div className={styles.notThereText}>
            <div>
              {gone.map((kind) => (
                <p key={kind}>{t(kind, { name: missing[kind]! })}</p>
              ))}
            </div>
            <Button small label={t('understood')} onClick={clear} />
          </div>
        </Note>
      ) : null}
    </div>
  )
}
