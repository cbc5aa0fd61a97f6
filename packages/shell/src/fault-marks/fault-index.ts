import type { FaultRecord } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'
import { byUrgency, type Severity } from '../faults/severities.ts'

/** The active faults of a building by node. */
export interface FaultIndex {
  /** Most urgent first. */
  all: readonly FaultRecord[]
  /** The faults at or inside a storey, room, element or point, most urgent first. */
  at(nodeId: string): readonly FaultRecord[]
}

const NONE: readonly FaultRecord[] = []

export function faultIndex(faults: readonly FaultRecord[], model: BuildingModel): FaultIndex {
  const all = faults.toSorted(byUrgency)
  const byNode = new Map<string, FaultRecord[]>()
  for (const fault of all) {
    for (const id of nodesOf(fault, model)) {
      const known = byNode.get(id)
      if (known) known.push(fault)
      else byNode.set(id, [fault])
    }
  }
  return { all, at: (nodeId) => byNode.get(nodeId) ?? NONE }
}

/** The ids of the point and the element of a fault, and of their room and storey, as far as the fault has them. */
function nodesOf({ pointId, elementId }: FaultRecord, model: BuildingModel): string[] {
  const nodeId = pointId ?? elementId
  if (nodeId === null) return []
  const ids = [pointId, elementId, model.spaceOf(nodeId)?.id, model.storeyOf(nodeId)?.id]
  return ids.filter((id) => id !== null && id !== undefined)
}

/** How the faults of a node are marked. */
export interface FaultMark {
  severity: Severity
  /** Whether all faults of the node are acknowledged. */
  isAcknowledged: boolean
  count: number
}

/**
 * The mark has the severity of the most severe open fault, or else of the most severe acknowledged one. `faults` are
 * sorted by urgency.
 */
export function faultMark(faults: readonly FaultRecord[]): FaultMark | undefined {
  const worst = faults.find(({ state }) => state === 'open') ?? faults[0]
  if (!worst) return undefined
  return { severity: worst.severity, isAcknowledged: worst.state === 'acknowledged', count: faults.length }
}
