import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  title: string
  text?: string
  icon?: IconName
  action?: ReactNode
  level?: 1 | 2 | 3
  children?: ReactNode
}

/** Explains why a list or page is empty, and offers an action. */
export function EmptyState({ title, text, icon, action, level = 2, children }: EmptyStateProps): ReactNode {
  const Heading = `h${level}` as const
  return (
    <div className="st-empty">
      {icon ? <Icon name={icon} size={28} /> : null}
      <Heading>{title}</Heading>
      {text === undefined ? null : <p>{text}</p>}
      {children}
      {action}
    </div>
  )
}
