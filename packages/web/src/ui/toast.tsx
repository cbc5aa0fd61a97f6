import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
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
   * Shows a text for a few seconds. Texts that must be read belong on the page. A newer toast with the same `about`
   * replaces the older one.
   */
  show(text: string, tone?: Tone, about?: string): void
}

const SHOWN_MS = 6000
const ToastsContext = createContext<ToastsApi>({ show: () => undefined })

export const useToasts = (): ToastsApi => useContext(ToastsContext)

export function Toasts({ children }: { children: ReactNode }): ReactNode {
  const t = useTexts(webTexts)
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
