import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral'

const ICONS: Record<Tone, IconName | undefined> = {
  good: 'check',
  warn: 'warning',
  bad: 'cross',
  info: 'info',
  neutral: undefined,
}

/** A status, shown as text, colour and icon. The neutral tone has an icon only if `icon` is given. */
export function Badge(props: { tone?: Tone; icon?: IconName; children: ReactNode }): ReactNode {
  const tone = props.tone ?? 'neutral'
  const icon = props.icon ?? ICONS[tone]
  return (
    <span className={`st-badge st-tone-${tone}`}>
      {icon ? <Icon name={icon} size={12} /> : null}
      {props.children}
    </span>
  )
}
