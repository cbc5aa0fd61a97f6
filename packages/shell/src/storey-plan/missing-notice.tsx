import { Button, focusPathOf, Note, returnFocus, setQuery, useTexts } from '@storey/web'
import type { MouseEvent, ReactNode } from 'react'
import styles from './storey-plan.module.css'
import { storeyPlanTexts } from './texts.ts'

const KINDS = ['storey', 'room', 'colour'] as const

/** The URL parameters whose values do not exist in the building. */
type Missing = Readonly<Record<(typeof KINDS)[number], string | null | undefined>>

/**
 * Lists the missing values, with a button that removes them from the URL. The notice is rendered even if it is empty,
 * so that screen readers announce changes.
 */
export function MissingNotice({ missing }: { missing: Missing }): ReactNode {
  const t = useTexts(storeyPlanTexts)
  const missingKinds = KINDS.filter((kind) => missing[kind])
  const clear = ({ currentTarget }: MouseEvent) => {
    returnFocus(focusPathOf(currentTarget))
    setQuery(Object.fromEntries(missingKinds.map((kind) => [kind, null])))
  }
  return (
    <div role="status" className={styles.missing}>
      {missingKinds.length > 0 ? (
        <Note tone="warn">
          <div className={styles.missingText}>
            <div>
              {missingKinds.map((kind) => (
                <p key={kind}>{t(kind, { name: missing[kind]! })}</p>
              ))}
            </div>
            <Button small label={t('dismiss')} onClick={clear} />
          </div>
        </Note>
      ) : null}
    </div>
  )
}
