import type { FaultRecord, SpaceNode } from '@storey/sdk'
import { Button, ButtonLink, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { FaultItems, NodeFaults } from '../fault-marks/node-faults.tsx'
import { PointList } from '../points/point-list.tsx'
import { ReplayClock } from '../replay/replay-clock.tsx'
import { ReplayedValues } from '../replay/replayed-values.tsx'
import { replayTexts } from '../replay/texts.ts'
import type { ReplaySession } from '../replay/use-replay.ts'
import { RoomDetails } from './room-details.tsx'
import styles from './rooms.module.css'

interface RoomPanelProps {
  space: SpaceNode
  /** Set during a replay. `faults`: the faults of the room that were active at the replayed time. */
  replay: { session: ReplaySession; faults: readonly FaultRecord[] } | undefined
  onClose(): void
}

/** The panel of a room beside the plan, with live values or those of the replay. Escape closes it. */
export default function RoomPanel({ space, replay, onClose }: RoomPanelProps): ReactNode {
  const t = useTexts(shellTexts)
  const replayText = useTexts(replayTexts)
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
      {replay ? <FaultItems faults={replay.faults} /> : <NodeFaults nodeId={space.id} />}
      <RoomDetails space={space} />
      <ButtonLink to={`/rooms/${space.id}`} label={t('openRoom')} kind="primary" />
      {replay ? (
        <>
          <h3>
            {replayText('valuesAt')} <ReplayClock {...replay.session} />
          </h3>
          <ReplayedValues key={space.id} session={replay.session} points={pointsIn(space.id)} />
        </>
      ) : (
        <>
          <h3>{t('values')}</h3>
          <PointList points={pointsIn(space.id)} />
        </>
      )}
    </aside>
  )
}
