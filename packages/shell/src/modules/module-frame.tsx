import type { ModuleRecord } from '@storey/sdk'
import { Note, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { originOf } from './allowed-address.ts'
import styles from './modules.module.css'
import { moduleTexts } from './texts.ts'

/** A module that renders nothing for this long counts as empty. Before that it may be loading data. */
const EMPTY_AFTER_MS = 3_000
/** Elements that are visible without text. */
const VISIBLE_ELEMENTS =
  'img, svg, canvas, video, audio, iframe, object, input, select, textarea, button, progress, meter, hr'

interface ModuleFrameProps {
  module: ModuleRecord
  /** The federation name of the build, if it differs from the one in the registry. */
  builtAs: string | undefined
  children: ReactNode
}

/**
 * The container of a module. It is the main landmark unless the module has one, and warns if the module stays empty.
 */
export function ModuleFrame({ module, builtAs, children }: ModuleFrameProps): ReactNode {
  const t = useTexts(moduleTexts)
  const container = useRef<HTMLDivElement>(null)
  const { hasMain, isEmpty } = useContent(container)
  const { remoteEntryUrl, federationName } = module
  return (
    <div
      id="main"
      className={styles.frame}
      tabIndex={-1}
      // A role and not a <main> element: changing the element type would remount the module.
      role={hasMain ? undefined : 'main'}
    >
      <div role="status">
        {builtAs === undefined ? null : (
          <div className={styles.empty}>
            <Note tone="warn">
              <strong>{t('otherName')}</strong>
              <p>{t('otherNameText', { origin: originOf(remoteEntryUrl), builtAs, federationName })}</p>
            </Note>
          </div>
        )}
        {isEmpty ? (
          <div className={styles.empty}>
            <Note tone="warn">
              <strong>{t('empty')}</strong>
              <p>{t('emptyText', { name: module.name })}</p>
              <p>{t('emptyFix')}</p>
            </Note>
          </div>
        ) : null}
      </div>
      <div ref={container} className={styles.container} data-module={module.slug}>
        {children}
      </div>
    </div>
  )
}

/** Observes what a module renders. The module counts as empty if nothing is visible for `EMPTY_AFTER_MS`. */
function useContent(container: { current: HTMLElement | null }): { hasMain: boolean; isEmpty: boolean } {
  const [hasMain, setHasMain] = useState(false)
  const [isEmpty, setIsEmpty] = useState(false)
  useEffect(() => {
    const element = container.current!
    let timer: ReturnType<typeof setTimeout> | undefined
    const update = () => {
      setHasMain(element.querySelector('main, [role=main]') !== null)
      if (element.textContent.trim() !== '' || element.querySelector(VISIBLE_ELEMENTS) !== null) {
        clearTimeout(timer)
        timer = undefined
        setIsEmpty(false)
      } else timer ??= setTimeout(() => setIsEmpty(true), EMPTY_AFTER_MS)
    }
    const observer = new MutationObserver(update)
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    update()
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [container])
  return { hasMain, isEmpty }
}
