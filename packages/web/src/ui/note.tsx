import type { ReactNode } from 'react'
import type { Tone } from './badge.tsx'
import { Icon } from './icon.tsx'

/** A callout with information or a warning. */
export function Note({ tone = 'info', children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return (
    <div className={`st-note st-tone-${tone}`}>
      <Icon name={tone === 'warn' || tone === 'bad' ? 'warning' : 'info'} />
      <div>{children}</div>
    </div>
  )
}
