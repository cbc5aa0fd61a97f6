import type { ModuleRecord } from '@storey/sdk'
import { Note, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import styles from './modules.module.css'
import { originOf } from './remote-address.ts'
import { moduleWords } from './words.ts'

/** A module may have to read something first. */
const PATIENCE_MS = 3_000
/** What is seen without having a word in it. */
const SEEN = 'img, svg, canvas, video, audio, iframe, object, input, select, textarea, button, progress, meter, hr'

interface ModuleFrameProps {
  module: ModuleRecord
  /** By which name it was built, where the registry has another. */
  builtAs: string | undefined
  children: ReactNode
}

/** The place of a module: the page's main part, unless the module brings one, and a word where it draws nothing. */
export function ModuleFrame({ module, builtAs, children }: ModuleFrameProps): ReactNode {
  const t = useWords(moduleWords)
  const place = useRef<HTMLDivElement>(null)
  const { hasMain, isEmpty } = useContent(place)
  const { remoteEntryUrl, federationName } = module
  return (
    <div
      id="main"
      className={styles.frame}
      tabIndex={-1}
      // An element of its own would have to change with the module, and begin it anew.
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
              <p>{t('emptyMend')}</p>
            </Note>
          </div>
        ) : null}
      </div>
      <div ref={place} className={styles.place} data-module={module.slug}>
        {children}
      </div>
    </div>
  )
}

/** What a module has drawn by now. It is empty when nothing is seen of it for a while. */
function useContent(place: { current: HTMLElement | null }): { hasMain: boolean; isEmpty: boolean } {
  const [hasMain, setHasMain] = useState(false)
  const [isEmpty, setIsEmpty] = useState(false)
  useEffect(() => {
    const element = place.current!
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      setHasMain(element.querySelector('main, [role=main]') !== null)
      if (element.textContent.trim() !== '' || element.querySelector(SEEN) !== null) {
        clearTimeout(timer)
        timer = undefined
        setIsEmpty(false)
      } else timer ??= setTimeout(() => setIsEmpty(true), PATIENCE_MS)
    }
    const observer = new MutationObserver(look)
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    look()
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [place])
  return { hasMain, isEmpty }
}
