import { Icon, navigate, useTexts } from '@storey/web'
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { find, type Hit, searchIndex } from './find.ts'
import styles from './search.module.css'

const KINDS = { space: 'kindSpace', element: 'kindElement', point: 'kindPoint' } as const

/** Finds rooms, equipment and points by name, code or external ID. The / key moves the focus to the search box. */
export function SearchBox(): ReactNode {
  const t = useTexts(shellTexts)
  const model = useBuildingData()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(0)
  const query = useDeferredValue(text)
  const hits = useMemo(() => (query === '' ? [] : find(searchIndex(model), query)), [model, query])
  useSlashKey(() => input.current?.focus())

  const open = (hit: Hit | undefined) => {
    if (!hit) return
    setText('')
    setIsOpen(false)
    input.current?.blur()
    navigate(PATHS[hit.kind] + hit.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && hits.length > 0) setActive((active + step + hits.length) % hits.length)
    // `hits` is deferred, so it may still belong to an earlier text.
    else if (event.key === 'Enter') open((query === text ? hits : find(searchIndex(model), text))[active])
    else if (event.key === 'Escape') {
      setIsOpen(false)
      if (text === '') input.current?.blur()
      setText('')
    } else return
    event.preventDefault()
  }

  const isShown = isOpen && query.trim() !== ''
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={t('search')}
        aria-expanded={isShown && hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && hits[active] ? `${id}-${active}` : undefined}
        placeholder={t('search')}
        title={t('searchHint')}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
          setIsOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: this element cannot get the focus */}
      <kbd aria-hidden="true">/</kbd>
      <div id={`${id}-hits`} role="listbox" aria-label={t('searchResults')} hidden={!isShown || hits.length === 0}>
        {hits.map((hit, n) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and references the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={hit.id}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => open(hit)}
          >
            <span className={styles.kind}>{t(KINDS[hit.kind])}</span>
            <span className={styles.name}>
              {hit.name} <code>{hit.code}</code>
            </span>
            <span className={styles.place}>{hit.place}</span>
          </div>
        ))}
      </div>
      {isShown && hits.length === 0 ? (
        <p className={styles.nothing} role="status">
          {t('searchNothing', { text: query.trim() })}
        </p>
      ) : null}
    </div>
  )
}

const PATHS = { space: '/rooms/', element: '/elements/', point: '/points/' } as const

function useSlashKey(callback: () => void): void {
  const latest = useRef(callback)
  latest.current = callback
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const isTyping = (event.target as Element).closest('input, textarea, select, [contenteditable]')
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
