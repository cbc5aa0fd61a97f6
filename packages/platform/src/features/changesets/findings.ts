import { type FieldError, Problem, problems } from '@storey/contract'

/** Why a changeset cannot be carried out on the graph as it is. */
export interface Finding {
  /** The node whose operation fails; null: none does, the node is another than the one it was written for. */
  nodeId: string | null
  /** Where the operation says it. */
  error: FieldError
  field: string
  /** For a conflict: the reason without its place in the request. */
  detail: string
  /** The nodes that are in the way: changed since, gone, or holding what is asked for. */
  nodeIds: string[]
  /** Others are in the way. Otherwise a draft with this operation is at fault by itself. */
  isConflict: boolean
  validValues?: readonly string[] | undefined
}

const MOST_ERRORS = 20
const MOST_REASONS = 5

/** A draft that is at fault by itself is not taken; else what stands in its way is told. */
export function refusalOfDraft(findings: readonly Finding[]): Problem {
  const invalid = findings.filter(({ isConflict }) => !isConflict)
  if (invalid.length === 0) return conflictOver(findings)
  const errors = invalid.slice(0, MOST_ERRORS).map(({ error }) => error)
  const { message, members } = problems.validation(errors)
  const sets = new Set(invalid.flatMap(({ validValues }) => (validValues ? [validValues.join('\n')] : [])))
  // Two sets of values under one name would tell nothing.
  const [values] = sets.size === 1 ? sets : []
  return new Problem('VALIDATION_FAILED', message, {
    members: values === undefined ? members : { ...members, validValues: values.split('\n') },
  })
}

/** All nodes in the way at once. */
export function conflictOver(findings: readonly Finding[]): Problem {
  const reasons = [...new Set(findings.map(({ detail }) => detail))]
  const more = reasons.length > MOST_REASONS ? [`and ${reasons.length - MOST_REASONS} further reasons`] : []
  const detail = [...reasons.slice(0, MOST_REASONS), ...more].join('; ')
  return problems.nodeConflict(findings[0]!.field, detail, nodesInTheWay(findings))
}

export const nodesInTheWay = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.flatMap(({ nodeIds }) => nodeIds)),
]

/** Nodes that were written since the changeset last saw them. */
export function changedSince(revision: number, nodeIds: string[]): Finding[] {
  if (nodeIds.length === 0) return []
  const detail = `${nodeIds.length === 1 ? 'A node' : `${nodeIds.length} nodes`} changed since revision ${revision}`
  const error: FieldError = { pointer: '/operations', in: 'body', detail }
  return [{ nodeId: null, error, field: 'operations', detail, nodeIds, isConflict: true }]
}
