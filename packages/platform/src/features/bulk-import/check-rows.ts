import type { FieldError } from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import type { BadRows } from './bad-rows.ts'
import type { ImportRequest } from './import-request.ts'
import { elementSheet, pointSheet, type Row, type Sheet } from './sheets.ts'

export interface GoodRow {
  index: number
  row: Row
}

const CHECKS: Record<Sheet['kind'], (row: unknown) => FieldError[]> = {
  element: createBodyCheck(elementSheet.row),
  point: createBodyCheck(pointSheet.row),
}

/** Checks what can be checked without the database. Returns the rows in which it found no violation. */
export function checkRows({ sheet, rows, malformed }: ImportRequest, bad: BadRows): GoodRow[] {
  const check = CHECKS[sheet.kind]
  const seen = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    const shape = malformed.get(index)
    if (shape !== undefined) {
      bad.add(index, '', shape)
      continue
    }
    const errors = check(row)
    for (const { pointer, detail } of errors)
      bad.add(index, pointer, pointer === '' ? 'the row must be an object' : detail)
    if (errors.length > 0) continue
    checkParentNamed(sheet, index, row as Row, bad)
    const { externalId } = row as Row
    const earlier = seen.get(externalId)
    if (earlier === undefined) seen.set(externalId, index)
    else bad.add(index, '/externalId', `externalId ${externalId} is already used in the row with index ${earlier}`)
  }
  return rows.flatMap((row, index) => (bad.has(index) ? [] : [{ index, row: row as Row }]))
}

function checkParentNamed({ parent }: Sheet, index: number, row: Row, bad: BadRows): void {
  const named = [parent.id, parent.externalId].filter((field) => typeof row[field] === 'string')
  if (named.length === 1) return
  const both = `${parent.id} and ${parent.externalId} are both given: name the ${parent.kind} by one of them`
  bad.add(index, `/${parent.id}`, named.length === 2 ? both : `${parent.id} or ${parent.externalId} is required`)
}
