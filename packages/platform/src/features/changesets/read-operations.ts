import { randomUUID } from 'node:crypto'
import {
  type FieldError,
  MAX_FIELD_ERRORS,
  NEW_NODES,
  NODE_KINDS,
  NODE_PATCHES,
  type NodeKind,
  type Operation,
  problems,
  type StoredOperation,
} from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'

type BodyCheck = ReturnType<typeof createBodyCheck>
const byKind = <T>(make: (kind: NodeKind) => T) =>
  Object.fromEntries(NODE_KINDS.map((kind) => [kind, make(kind)])) as Record<NodeKind, T>
const checkNew: Record<NodeKind, BodyCheck> = byKind((kind) => createBodyCheck(NEW_NODES[kind]))
const checkPatch: Record<NodeKind, BodyCheck> = byKind((kind) => createBodyCheck(NODE_PATCHES[kind]))

/**
 * Validates the operations of a draft. A create operation without an id gets one here, so that preview, review and
 * apply concern the same node.
 */
export function readOperations(operations: readonly Operation[]): StoredOperation[] {
  const errors: FieldError[] = []
  const created = new Set<string>()
  const kept = operations.map((operation, i): StoredOperation => {
    const { op, kind, data } = operation
    const found = errors.length < MAX_FIELD_ERRORS ? checkOperation(operation, i) : []
    errors.push(...found)
    const id = operation.id?.toLowerCase() ?? randomUUID()
    if (op === 'create' && created.has(id)) errors.push(idError(i, 'is already the id of an earlier create operation'))
    if (op === 'create') created.add(id)
    return data === undefined ? { op, kind, id } : { op, kind, id, data }
  })
  if (errors.length > 0) throw problems.validation(errors)
  return kept
}

function checkOperation({ op, kind, id, data }: Operation, i: number): FieldError[] {
  const errors = op !== 'create' && id === undefined ? [idError(i, `is required to ${op} a ${kind}`)] : []
  if (op === 'delete') return data === undefined ? errors : [...errors, dataError(i, 'is not allowed for a delete')]
  if (data === undefined) return [...errors, dataError(i, `is required to ${op} a ${kind}`)]
  if (op === 'update' && Object.keys(data).length === 0) {
    return [...errors, dataError(i, 'is empty: give the fields to change')]
  }
  const check = op === 'create' ? checkNew[kind] : checkPatch[kind]
  return [...errors, ...check(data).map((error) => inData(i, error))]
}

export const idError = (i: number, detail: string): FieldError => ({
  pointer: `/operations/${i}/id`,
  in: 'body',
  detail: `operations.${i}.id ${detail}`,
})

const dataError = (i: number, detail: string): FieldError => ({
  pointer: `/operations/${i}/data`,
  in: 'body',
  detail: `operations.${i}.data ${detail}`,
})

/** An error in the data of operation `i`, with a pointer from the root of the request body. */
export const inData = (i: number, { pointer, detail }: FieldError): FieldError => ({
  pointer: `/operations/${i}/data${pointer}`,
  in: 'body',
  detail: `operations.${i}.data.${detail}`,
})
