import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import type { Tone } from './badge.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { WaitNotice } from './wait-notice.tsx'

interface Toast {
  id: number
  text: string
  tone: Tone
  about: string | undefined
}

interface ToastsApi {
  /**
   * Says what happened, for a few seconds. What must be read or acted on belongs on the page. `about` names the thing: a
   * newer word about the same one takes the place of the older.
   */
  show(text: string, tone?: Tone, about?: string): void
}

const SHOWN_MS = 6000
const ToastsContext = createContext<ToastsApi>({ show: () => undefined })

export const useToasts = (): ToastsApi => useContext(ToastsContext)

export function Toasts({ children }: { children: ReactNode }): ReactNode {
  const t = useWords(webWords)
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const last = useRef(0)
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), [])
  const api = useMemo<ToastsApi>(
    () => ({
      show(text, tone = 'good', about) {
        last.current += 1
        const id = last.current
        setToasts((all) => {
          const others = all.filter((toast) => about === undefined || toast.about !== about)
          return [...others.slice(-2), { id, text, tone, about }]
        })
        setTimeout(() => remove(id), SHOWN_MS)
      },
    }),
    [remove],
  )
  return (
    <ToastsContext value={api}>
      {children}
      <div className="st-toasts">
        <WaitNotice />
        <div className="st-toast-list" role="status">
          {toasts.map(({ id, text, tone }) => (
            <div key={id} className={`st-toast st-tone-${tone}`}>
              <Icon name={tone === 'bad' ? 'warning' : tone === 'good' ? 'check' : 'info'} />
              <span>{text}</span>
              <Button label={t('dismiss')} icon="cross" iconOnly kind="quiet" small onClick={() => remove(id)} />
            </div>
          ))}
        </div>
      </div>
    </ToastsContext>
  )
}
