import { Icon, Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { historyTexts } from '../history/texts.ts'
import styles from './changesets.module.css'

interface NodeListProps {
  title: string
  text: string
  nodeIds: readonly string[]
}

const MAX_SHOWN = 20

/** The nodes in conflict, with links to their rooms. */
export function NodeList({ title, text, nodeIds }: NodeListProps): ReactNode {
  const t = useTexts(historyTexts)
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
          {nodeIds.slice(0, MAX_SHOWN).map((id) => (
            <li key={id}>{describe(id)}</li>
          ))}
          {nodeIds.length > MAX_SHOWN ? <li>{t('moreChanges', { n: nodeIds.length - MAX_SHOWN })}</li> : null}
        </ul>
      </div>
    </div>
  )
}
