import { LIMITS } from '@storey/contract'
import {
  Button,
  Choice,
  ErrorPanel,
  Note,
  Page,
  Panel,
  setQuery,
  useAction,
  useLocale,
  useRoute,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { columnsOf } from '../table-input/columns.ts'
import { type GivenTable, TableInput } from '../table-input/table-input.tsx'
import { csvOf, saveFile } from '../table-input/write-csv.ts'
import { BadCells, badCellsOf, RefusedRows, refusedRows } from './bad-cells.tsx'
import { DryRun } from './dry-run.tsx'
import { EXAMPLES } from './examples.ts'
import { MappingFields } from './mapping-fields.tsx'
import { NoPermission } from './no-permission.tsx'
import { guessMapping, type PreparedRows, prepareRows, type TableMapping } from './prepare-rows.ts'
import { type Checked, sendRows } from './send-rows.ts'
import { IMPORT_KINDS, type ImportKind } from './table-fields.ts'
import { tableTexts } from './table-texts.ts'

/** Imports rooms, equipment or points from a table. A dry run shows every change before anything is written. */
export default function TablePage(): ReactNode {
  const t = useTexts(tableTexts)
  const { may } = useShell()
  return may('data-import.sync:write') ? <TableImport /> : <NoPermission title={t('title')} />
}

function TableImport(): ReactNode {
  const t = useTexts(tableTexts)
  const { query } = useRoute()
  const kind = IMPORT_KINDS.find((one) => one === query.get('kind')) ?? 'spaces'
  const [table, setTable] = useState<GivenTable>()
  return (
    <Page title={t('title')} lead={t('lead')} wide back={{ to: '/imports', label: t('back') }}>
      <Panel
        title={t('what')}
        actions={
          <Button
            small
            icon="download"
            label={t('template')}
            onClick={() => saveFile(`${kind}.csv`, csvOf(EXAMPLES[kind]))}
          />
        }
      >
        <Choice<ImportKind>
          label={t('kind')}
          value={kind}
          options={IMPORT_KINDS.map((value) => ({ value, label: t(value), hint: t(`${value}Hint`) }))}
          onValue={(value) => setQuery({ kind: value })}
        />
      </Panel>
      <Panel title={t('source')}>
        <TableInput table={table} onTable={setTable} hasHeader />
      </Panel>
      {table ? <Mapped key={`${kind} ${table.fileName}`} kind={kind} table={table} /> : null}
    </Page>
  )
}

/** Lets the user choose the columns of a table, and check and import its rows. */
function Mapped({ kind, table }: { kind: ImportKind; table: GivenTable }): ReactNode {
  const t = useTexts(tableTexts)
  const building = useBuildingData()
  const columns = useMemo(() => columnsOf(table.rows, true), [table])
  const [mapping, setMapping] = useState<TableMapping>(() => guessMapping(kind, columns))
  const [system, setSystem] = useState(() => knownSystem(building[kind]))
  const source = mapping.matchBy === 'externalId' ? system.trim() : tableName(table, t('pastedSource'))
  const prepared = useMemo(
    () => prepareRows(kind, columns.rows, mapping, building, source),
    [kind, columns, mapping, building, source],
  )
  const isValid = mapping.keyColumn !== undefined && source !== '' && source.toLowerCase() !== 'ifc'
  return (
    <>
      <Panel title={t('columns')}>
        <MappingFields
          kind={kind}
          columns={columns}
          mapping={mapping}
          sourceSystem={system}
          onMapping={setMapping}
          onSourceSystem={setSystem}
        />
      </Panel>
      {isValid ? (
        <Check
          key={JSON.stringify([mapping, source])}
          kind={kind}
          matchBy={mapping.matchBy}
          source={source}
          prepared={prepared}
        />
      ) : (
        <Note>{t('noKey')}</Note>
      )}
    </>
  )
}

interface CheckProps {
  kind: ImportKind
  matchBy: TableMapping['matchBy']
  source: string
  prepared: PreparedRows
}

function Check({ kind, matchBy, source, prepared }: CheckProps): ReactNode {
  const t = useTexts(tableTexts)
  const locale = useLocale()
  const { api } = useShell()
  const building = useBuildingData()
  const toasts = useToasts()
  /** Numbers of rows that the API refused and the user left out. */
  const [omitted, setOmitted] = useState<ReadonlySet<number>>(new Set())
  const [checked, setChecked] = useState<Checked>()
  const rows = prepared.rows.filter(({ number }) => !omitted.has(number))
  const leaveTo = useUnsavedGuard(rows.length > 0)
  const request = { kind, matchBy, sourceSystem: source, rows: rows.map(({ fields }) => fields) }
  const check = useAction(async () => {
    setChecked(undefined)
    setChecked({ revision: building.revision, result: await sendRows(api, request, { dryRun: true }) })
  })
  const apply = useAction(async () => {
    const { created, updated } = await sendRows(api, request, { dryRun: false })
    toasts.show(t('applied', { created, updated }))
    await building.reload()
    leaveTo('/history')
  })
  const refused = refusedRows(check.error ?? apply.error, rows, locale)
  const isTooLong = rows.length > LIMITS.bulkImportRows
  return (
    <>
      {prepared.bad.length > 0 ? <BadCells cells={badCellsOf(prepared.bad)} /> : null}
      <Panel title={t('check')} lead={t('checkText')}>
        <div className="st-stack">
          {rows.length === 0 ? <Note tone="warn">{t('noRows')}</Note> : null}
          {isTooLong ? <Note tone="bad">{t('tooMany', { n: LIMITS.bulkImportRows })}</Note> : null}
          {refused ? null : <ErrorPanel error={check.error ?? apply.error} />}
          <div className="st-row">
            <Button
              kind={checked ? 'plain' : 'primary'}
              label={t('run', { n: rows.length })}
              isBusy={check.isBusy}
              disabled={rows.length === 0 || isTooLong}
              onClick={() => {
                apply.clear()
                void check.run()
              }}
            />
          </div>
        </div>
      </Panel>
      {refused ? (
        <RefusedRows
          refused={refused}
          onLeaveOut={() => {
            check.clear()
            apply.clear()
            setChecked(undefined)
            setOmitted(new Set([...omitted, ...refused.cells.map(({ number }) => number)]))
          }}
        />
      ) : null}
      {checked && !refused ? (
        <DryRun
          checked={checked}
          isOutdated={checked.revision !== building.revision && !apply.isBusy}
          isBusy={apply.isBusy}
          onApply={() => void apply.run()}
        />
      ) : null}
    </>
  )
}

/** The most frequent source system in the external ids of the nodes, except `ifc`; empty if there is none. */
function knownSystem(nodes: readonly { externalIds: readonly { sourceSystem: string }[] }[]): string {
  const counts = new Map<string, number>()
  for (const { externalIds } of nodes) {
    for (const { sourceSystem } of externalIds) {
      if (sourceSystem.toLowerCase() !== 'ifc') counts.set(sourceSystem, (counts.get(sourceSystem) ?? 0) + 1)
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** The source that the history shows for an import whose rows are matched by code: the file name, or `pasted`. */
function tableName({ fileName }: GivenTable, pasted: string): string {
  const name = (fileName ?? pasted)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, LIMITS.node.sourceSystemLength)
  return name === '' || name.toLowerCase() === 'ifc' ? pasted : name
}
