import type { SpaceNode } from '@storey/sdk'
import { Button, ButtonLink, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { NodeFaults } from '../fault-marks/node-faults.tsx'
import { PointList } from '../points/point-list.tsx'
import { RoomDetails } from './room-details.tsx'
import styles from './rooms.module.css'

interface RoomPanelProps {
  space: SpaceNode
  onClose(): void
}

/** The panel of a room beside the plan. Escape closes it. */
export function RoomPanel({ space, onClose }: RoomPanelProps): ReactNode {
  const t = useTexts(shellTexts)
  const { pointsIn } = useBuildingData()
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const panel = useRef<HTMLElement>(null)
  const { id } = space
  // On a small screen the panel is below the plan, so the page has to scroll to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the room changes
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
      <NodeFaults nodeId={space.id} />
      <RoomDetails space={space} />
      <ButtonLink to={`/rooms/${space.id}`} label={t('openRoom')} kind="primary" />
      <h3>{t('values')}</h3>
      <PointList points={pointsIn(space.id)} />
    </aside>
  )
}
