import { randomUUID } from 'node:crypto'
import { type FieldError, type NodeOf, Problem } from '@storey/contract'
import {
  findByCodes,
  findByExternalIds,
  freshNode,
  type GraphEdit,
  patchedNode,
  type Violation,
} from '../../graph/index.ts'
import type { BadRows } from './bad-rows.ts'
import type { GoodRow } from './check-rows.ts'
import type { ImportRequest } from './import-request.ts'
import { findParents, parentField } from './parents.ts'
import { keyOf, keyOfAny, nodeFields } from './sheets.ts'

type Imported = NodeOf['space' | 'element' | 'point']

/** Puts the nodes of the rows into an edit, validates the edit, and adds the violations to the bad rows. */
export async function placeRows(
  edit: GraphEdit,
  request: ImportRequest,
  good: readonly GoodRow[],
  bad: BadRows,
): Promise<void> {
  const { sheet, matchBy } = request
  const known = await findKnown(edit, request)
  await edit.load(known.values())
  const parentOf = await findParents(edit, request, good)
  const rowOfNode = new Map<string, GoodRow>()
  for (const placed of good) {
    const { index, row } = placed
    const parentId = parentOf(row)
    if (parentId === undefined) {
      const field = parentField(sheet, row)
      bad.add(index, `/${field}`, `${field} ${row[field]} matches no ${sheet.parent.kind} of this building`)
    }
    const node = nodeOf(
      edit,
      request,
      placed,
      { knownId: known.get(keyOf(row, matchBy)), parentId: parentId ?? '' },
      bad,
    )
    if (node === undefined) continue
    const earlier = rowOfNode.get(node.id)
    if (earlier !== undefined) {
      const key = `${matchBy} ${keyOf(row, matchBy)}`
      const detail = `${key} belongs to the same ${sheet.kind} as the row with index ${earlier.index}`
      bad.add(index, `/${matchBy}`, detail)
    }
    if (bad.has(index)) continue
    rowOfNode.set(node.id, placed)
    edit.put(sheet.kind, node as never)
  }
  // A violation that involves the node of a bad row is not reported: the corrected row may free the code that a good
  // row needs.
  const undecided = new Set([...known].filter(([, id]) => !rowOfNode.has(id)).map(([, id]) => id))
  for (const violation of await edit.validate()) {
    if (!violation.nodeIds.some((id) => undecided.has(id))) addViolation(rowOfNode, violation, bad)
  }
}

/** Maps the keys (external ids or codes) of all rows, including bad ones, to the nodes that already have them. */
async function findKnown(
  edit: GraphEdit,
  { sourceSystem, rows, matchBy }: ImportRequest,
): Promise<Map<string, string>> {
  const keys = [...new Set(rows.map((row) => keyOfAny(row, matchBy)).filter((key) => key !== null))]
  if (matchBy === 'code') {
    const found = await findByCodes(edit.tx, edit.buildingId, keys)
    return new Map(found.map(({ code, id }) => [code, id]))
  }
  const pairs = keys.map((externalId) => ({ sourceSystem, externalId }))
  const found = await findByExternalIds(edit.tx, edit.buildingId, pairs)
  return new Map(found.map(({ externalId, nodeId }) => [externalId, nodeId]))
}

/**
 * The changed or new node of a row. If the known node is of another kind, or a field is invalid, the row is added to
 * the bad rows and the result is undefined.
 */
function nodeOf(
  edit: GraphEdit,
  { sheet, sourceSystem, matchBy }: ImportRequest,
  { index, row }: GoodRow,
  { knownId, parentId }: { knownId: string | undefined; parentId: string },
  bad: BadRows,
): Imported | undefined {
  const { kind } = sheet
  const { externalId } = row
  const fields = nodeFields(sheet, row, parentId)
  const known = knownId === undefined ? undefined : edit.entries.get(knownId)
  if (known !== undefined && known.kind !== kind) {
    const key = matchBy === 'code' ? `code ${row.code}` : `externalId ${externalId} of ${sourceSystem}`
    bad.add(index, `/${matchBy}`, `${key} belongs to a node of another kind: ${known.kind}`)
    return undefined
  }
  try {
    if (known) return patchedNode(kind, known.before as Imported, fields)
    return freshNode(kind, randomUUID(), {
      ...fields,
      ...(externalId === undefined ? {} : { externalId, sourceSystem }),
    })
  } catch (err) {
    if (!(err instanceof Problem)) throw err
    for (const { pointer, detail } of err.members.errors as FieldError[]) {
      const field = pointer.slice(1)
      const called = sheet.nameInRow[field] ?? field
      bad.add(index, `/${called}`, detail.replaceAll(field, called))
    }
    return undefined
  }
}

function addViolation(
  rowOfNode: ReadonlyMap<string, GoodRow>,
  { nodeId, field, detail, nodeIds }: Violation,
  bad: BadRows,
) {
  const { index, row } = rowOfNode.get(nodeId)!
  const holder = nodeIds.map((id) => rowOfNode.get(id)).find((other) => other !== undefined)
  const repeats = field === 'code' && holder !== undefined && holder.row.code === row.code
  bad.add(
    index,
    `/${field}`,
    repeats ? `code ${row.code} is already used in the row with index ${holder.index}` : detail,
  )
}
