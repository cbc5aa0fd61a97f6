import { StoreyError } from '@storey/sdk'
import { Button, type DataColumn, DataTable, type Locale, Note, Panel, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { type BadCell, fieldOfRow, type PreparedRows } from './prepare-rows.ts'
import { refusalReason } from './refusal-reasons.ts'
import type { FieldName } from './table-fields.ts'
import { tableTexts } from './table-texts.ts'

/** A cell that is the reason why its row is left out or refused. */
export interface ShownCell {
  id: string
  number: number
  key: string
  field: FieldName | undefined
  text: string
  /** The problem that this page found; undefined if the API refused the cell. Then `detail` has the reason. */
  problem: BadCell['problem'] | undefined
  detail: string
}

export const badCellsOf = (bad: readonly BadCell[]): ShownCell[] =>
  bad.map((cell) => ({ ...cell, id: `${cell.number} ${cell.field}`, detail: '' }))

export interface Refused {
  cells: ShownCell[]
  /** The number of all problems, of which the API lists only the first ones. */
  all: number
}

/** The rows that the API refused; undefined if the error is about something else. */
export function refusedRows(error: unknown, rows: PreparedRows['rows'], locale: Locale): Refused | undefined {
  if (!(error instanceof StoreyError) || error.code !== 'VALIDATION_FAILED') return undefined
  const { errors = [], errorCount } = error.problem
  const cells = errors.flatMap(({ index, pointer, detail }): ShownCell[] => {
    const row = typeof index === 'number' ? rows[index] : undefined
    if (!row) return []
    const name = pointer.split('/').at(-1) ?? ''
    const text = row.fields[name]
    const reason = refusalReason(detail, locale, (at) => rows[at]?.number)
    return [
      {
        ...{ id: pointer, number: row.number, key: row.key, field: fieldOfRow(name) },
        ...{ text: text === undefined ? '' : String(text), problem: undefined, detail: reason },
      },
    ]
  })
  return cells.length === 0 ? undefined : { cells, all: typeof errorCount === 'number' ? errorCount : cells.length }
}

const rowsOf = (cells: readonly ShownCell[]) => new Set(cells.map(({ number }) => number)).size

/** The rows that this page leaves out, with the cells that are the reason. */
export function BadCells({ cells }: { cells: readonly ShownCell[] }): ReactNode {
  const t = useTexts(tableTexts)
  return (
    <Panel title={t('leftOut', { n: rowsOf(cells) })} flush>
      <CellTable name="left-out" cells={cells} />
    </Panel>
  )
}

/** The rows that the API refused. */
export function RefusedRows({ refused, onLeaveOut }: { refused: Refused; onLeaveOut(): void }): ReactNode {
  const t = useTexts(tableTexts)
  const { cells, all } = refused
  return (
    <>
      <Note tone="bad">
        <p>
          <strong>{t('refused', { n: rowsOf(cells) })}</strong>
        </p>
        <p>{t('refusedText')}</p>
        {all > cells.length ? <p>{t('refusedMore', { n: cells.length, all })}</p> : null}
      </Note>
      <Panel flush>
        <CellTable name="refused" cells={cells} actions={<Button small label={t('leaveOut')} onClick={onLeaveOut} />} />
      </Panel>
    </>
  )
}

interface CellTableProps {
  name: string
  cells: readonly ShownCell[]
  actions?: ReactNode
}

function CellTable({ name, cells, actions }: CellTableProps): ReactNode {
  const t = useTexts(tableTexts)
  const columns = useMemo<DataColumn<ShownCell>[]>(
    () => [
      { key: 'row', title: t('row'), isNumeric: true, value: ({ number }) => number },
      { key: 'key', title: t('key'), isHeader: true, value: ({ key }) => key || '—' },
      { key: 'field', title: t('field'), value: ({ field }) => (field ? t(field) : null), filter: 'choice' },
      { key: 'value', title: t('value'), value: ({ text }) => text || '—' },
      {
        key: 'why',
        title: t('why'),
        value: ({ problem, detail }) => (problem ? t(problem) : detail),
        filter: 'choice',
      },
    ],
    [t],
  )
  return (
    <DataTable
      name={name}
      caption={t('why')}
      columns={columns}
      rows={cells}
      rowKey={({ id }) => id}
      actions={actions}
      addressPrefix={`${name}.`}
    />
  )
}
