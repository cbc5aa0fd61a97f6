import { Icon, Link, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { historyWords } from '../history/words.ts'
import styles from './changesets.module.css'

interface NodeListProps {
  title: string
  text: string
  nodeIds: readonly string[]
}

const SHOWN = 20

/** The nodes that stand in the way, each with the way to it. */
export function NodeList({ title, text, nodeIds }: NodeListProps): ReactNode {
  const t = useWords(historyWords)
  const building = useBuildingData()
  const describe = (id: string) => {
    const room = building.space(id) ?? building.spaceOf(id)
    const node = building.space(id) ?? building.element(id) ?? building.point(id) ?? building.storey(id)
    if (!node) return <code>{id}</code>
    return (
      <>
        {room ? <Link to={`/rooms/${room.id}`}>{node.name}</Link> : node.name}{' '}
        <span className="st-quiet">{node.code}</span>
      </>
    )
  }
  return (
    <div className="st-note st-tone-warn" role="alert">
      <Icon name="warning" />
      <div className="st-stack">
        <strong>{title}</strong>
        <p>{text}</p>
        <ul className={styles.nodes}>
          {nodeIds.slice(0, SHOWN).map((id) => (
            <li key={id}>{describe(id)}</li>
          ))}
          {nodeIds.length > SHOWN ? <li>{t('moreChanges', { n: nodeIds.length - SHOWN })}</li> : null}
        </ul>
      </div>
    </div>
  )
}
