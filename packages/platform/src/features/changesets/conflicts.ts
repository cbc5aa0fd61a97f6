import { type FieldError, Problem, problems } from '@storey/contract'

/** Why a changeset cannot be applied to the current graph, or cannot be reverted. */
export interface Finding {
  /** The node whose operation or revert fails, or null if the finding is that `nodeIds` changed meanwhile. */
  nodeId: string | null
  /** For a validation problem: the error, with a pointer into the body of the request. */
  error: FieldError
  field: string
  /** For a conflict problem, which has no pointers: the reason. */
  detail: string
  /**
   * The nodes that cause the finding, for example because they changed since the base revision (for a revert, since the
   * changeset was applied), already have the id, code or external id, or are missing. If no node causes the finding,
   * the list has only `nodeId`.
   */
  nodeIds: string[]
  /** True if the operation conflicts with other nodes. Otherwise it is invalid by itself. */
  isConflict: boolean
  validValues?: readonly string[] | undefined
}

const MAX_REASONS = 5

/** VALIDATION_FAILED for a draft that is invalid by itself, otherwise CONFLICT. */
export function refusalOfDraft(findings: readonly Finding[]): Problem {
  const invalid = findings.filter(({ isConflict }) => !isConflict)
  if (invalid.length === 0) return conflictOver(findings)
  const { message, members } = problems.validation(invalid.map(({ error }) => error))
  const sets = new Set(invalid.flatMap(({ validValues }) => (validValues ? [validValues.join('\n')] : [])))
  // A problem can have only one list of valid values, so it has none if the findings have different lists.
  const [values] = sets.size === 1 ? sets : []
  return new Problem('VALIDATION_FAILED', message, {
    members: values === undefined ? members : { ...members, validValues: values.split('\n') },
  })
}

/** Names all conflicting nodes in one error. */
export function conflictOver(findings: readonly Finding[]): Problem {
  const reasons = [...new Set(findings.map(({ detail }) => detail))]
  const more = reasons.length > MAX_REASONS ? [`and ${reasons.length - MAX_REASONS} further reasons`] : []
  const detail = [...reasons.slice(0, MAX_REASONS), ...more].join('; ')
  return problems.nodeConflict(findings[0]!.field, detail, conflictingNodes(findings))
}

export const conflictingNodes = (findings: readonly Finding[]): string[] => [
  ...new Set(findings.flatMap(({ nodeIds }) => nodeIds)),
]

/** One finding for all nodes that changed since a revision; empty if `nodeIds` is empty. */
export function changedSince(revision: number, nodeIds: string[]): Finding[] {
  if (nodeIds.length === 0) return []
  const detail = `${nodeIds.length === 1 ? 'A node' : `${nodeIds.length} nodes`} changed since revision ${revision}`
  const error: FieldError = { pointer: '/operations', in: 'body', detail }
  return [{ nodeId: null, error, field: 'operations', detail, nodeIds, isConflict: true }]
}
