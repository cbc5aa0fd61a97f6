import type { ReactNode } from 'react'

export function Progress({ percent, label }: { percent: number; label: string }): ReactNode {
  return (
    <div className="st-progress">
      <progress max={100} value={percent} aria-label={label} />
      <span className="st-quiet">
        {label} · {percent}%
      </span>
    </div>
  )
}
