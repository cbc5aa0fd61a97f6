import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { type Waiting, waits } from '../data/waits.ts'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { Icon } from './icon.tsx'

/** Says that a call waits because the service asked for it, and how long. */
export function WaitNotice(): ReactNode {
  const waiting = useSyncExternalStore(waits.subscribe, waits.current)
  return <div role="status">{waiting ? <Countdown {...waiting} /> : null}</div>
}

const secondsUntil = (until: number) => Math.max(0, Math.ceil((until - Date.now()) / 1000))

function Countdown({ until, code }: Waiting): ReactNode {
  const t = useWords(webWords)
  const [seconds, setSeconds] = useState(() => secondsUntil(until))
  useEffect(() => {
    setSeconds(secondsUntil(until))
    const timer = setInterval(() => setSeconds(secondsUntil(until)), 250)
    return () => clearInterval(timer)
  }, [until])
  return (
    <div className="st-toast st-tone-info st-wait">
      <Icon name="clock" />
      {/* The seconds are not read out: they would never end. */}
      <span>
        {t(code === 'RATE_LIMITED' ? 'waitLimited' : 'waitNotReady')}
        <span aria-hidden="true">{t('waitSeconds', { n: seconds })}</span>
      </span>
    </div>
  )
}
