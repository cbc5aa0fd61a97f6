import type { FaultRecord, SpaceNode } from '@storey/sdk'
import { Badge, Button, ButtonLink, Link, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import { PointList } from '../points/point-list.tsx'
import { RoomFacts } from './room-facts.tsx'
import styles from './rooms.module.css'

interface RoomPanelProps {
  space: SpaceNode
  /** The open ones. */
  faults: readonly FaultRecord[]
  onClose(): void
}

/** A room beside the plan: what it is and what is measured in it. Escape closes it. */
export function RoomPanel({ space, faults, onClose }: RoomPanelProps): ReactNode {
  const t = useWords(shellWords)
  const { pointsIn } = useBuildingData()
  const titleOf = useFaultTitle()
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close.current()
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
  const panel = useRef<HTMLElement>(null)
  const { id } = space
  // On a small screen it stands below the plan.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room is looked at anew
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <aside ref={panel} className={styles.panel} aria-label={space.name}>
      <div className={styles.panelHead}>
        <div>
          <h2>{space.name}</h2>
          <code className="st-quiet">{space.code}</code>
        </div>
        <Button label={t('closePanel')} icon="cross" iconOnly kind="quiet" small onClick={onClose} />
      </div>
      {faults.length > 0 ? (
        <ul className={styles.faults} aria-label={t('openFaults')}>
          {faults.map(({ id, title }) => (
            <li key={id}>
              <Badge tone="bad" icon="warning">
                {t('fault')}
              </Badge>
              <Link to="/faults">{titleOf(title)}</Link>
            </li>
          ))}
        </ul>
      ) : null}
      <RoomFacts space={space} />
      <ButtonLink to={`/rooms/${space.id}`} label={t('openRoom')} kind="primary" />
      <h3>{t('values')}</h3>
      <PointList points={pointsIn(space.id)} />
    </aside>
  )
}
