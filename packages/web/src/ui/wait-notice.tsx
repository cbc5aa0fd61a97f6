import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { type Waiting, waits } from '../queries/waits.ts'
import { Icon } from './icon.tsx'

/** Shows a countdown while a call waits because the service asked the client to retry later. */
export function WaitNotice(): ReactNode {
  const waiting = useSyncExternalStore(waits.subscribe, waits.current)
  return <div role="status">{waiting ? <Countdown {...waiting} /> : null}</div>
}

const secondsUntil = (until: number) => Math.max(0, Math.ceil((until - Date.now()) / 1000))

function Countdown({ until, code }: Waiting): ReactNode {
  const t = useTexts(webTexts)
  const [seconds, setSeconds] = useState(() => secondsUntil(until))
  useEffect(() => {
    setSeconds(secondsUntil(until))
    const timer = setInterval(() => setSeconds(secondsUntil(until)), 250)
    return () => clearInterval(timer)
  }, [until])
  return (
    <div className="st-toast st-tone-info st-wait">
      <Icon name="clock" />
      {/* The seconds are hidden from screen readers, which would otherwise announce each of them. */}
      <span>
        {t(code === 'RATE_LIMITED' ? 'waitLimited' : 'waitNotReady')}
        <span aria-hidden="true">{t('waitSeconds', { n: seconds })}</span>
      </span>
    </div>
  )
}
