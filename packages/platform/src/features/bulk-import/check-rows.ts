import type { FieldError, ImportKey } from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import type { BadRows } from './bad-rows.ts'
import type { ImportRequest } from './import-request.ts'
import { keyOf, type Row, SHEETS, type Sheet } from './sheets.ts'

export interface GoodRow {
  index: number
  row: Row
}

const CHECKS = new Map<Sheet, (row: unknown) => FieldError[]>(
  SHEETS.map((sheet) => [sheet, createBodyCheck(sheet.row)]),
)

/** Checks what can be checked without the database. Returns the rows in which it found no violation. */
export function checkRows({ sheet, rows, malformed, matchBy }: ImportRequest, bad: BadRows): GoodRow[] {
  const check = CHECKS.get(sheet)!
  const seen = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    const shape = malformed.get(index)
    if (shape !== undefined) {
      bad.add(index, '', shape)
      continue
    }
    const errors = [...check(row), ...checkKey(matchBy, row)]
    for (const { pointer, detail } of errors)
      bad.add(index, pointer, pointer === '' ? 'the row must be an object' : detail)
    if (errors.length > 0) continue
    checkParentNamed(sheet, index, row as Row, bad)
    const key = keyOf(row as Row, matchBy)
    const earlier = seen.get(key)
    if (earlier === undefined) seen.set(key, index)
    else bad.add(index, `/${matchBy}`, `${matchBy} ${key} is already used in the row with index ${earlier}`)
  }
  return rows.flatMap((row, index) => (bad.has(index) ? [] : [{ index, row: row as Row }]))
}

/** Each row must have the field by which it is matched. A row that is matched by its code must have no external id. */
function checkKey(matchBy: ImportKey, row: unknown): FieldError[] {
  if (typeof row !== 'object' || row === null) return []
  const error = (field: string, detail: string): FieldError => ({ pointer: `/${field}`, in: 'body', detail })
  if (!Object.hasOwn(row, matchBy)) return [error(matchBy, `${matchBy} is required`)]
  if (matchBy === 'externalId' || !Object.hasOwn(row, 'externalId')) return []
  return [error('externalId', 'externalId is not allowed in an import that matches rows by code')]
}

function checkParentNamed({ parent }: Sheet, index: number, row: Row, bad: BadRows): void {
  const named = [parent.id, parent.externalId].filter((field) => typeof row[field] === 'string')
  if (named.length === 1) return
  const both = `${parent.id} and ${parent.externalId} are both given: name the ${parent.kind} by one of them`
  bad.add(index, `/${parent.id}`, named.length === 2 ? both : `${parent.id} or ${parent.externalId} is required`)
}
