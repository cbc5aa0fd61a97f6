import { Panel, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { NodeFaults } from './node-faults.tsx'
import { useFaultIndex } from './use-fault-index.ts'

/** A panel with the active faults of a room, an element or a point; nothing if the node has no active faults. */
export function FaultPanel({ nodeId }: { nodeId: string }): ReactNode {
  const t = useTexts(shellTexts)
  const hasFaults = useFaultIndex().at(nodeId).length > 0
  if (!hasFaults) return null
  return (
    <Panel title={t('activeFaults')}>
      <NodeFaults nodeId={nodeId} />
    </Panel>
  )
}
