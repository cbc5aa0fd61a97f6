import { type ReactNode, useDeferredValue, useMemo, useRef } from 'react'
import { useLocale } from '../i18n/locale.ts'
import { useTexts } from '../i18n/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useArrangement } from './address.ts'
import { arrange } from './arrange.ts'
import { type DataColumn, isData } from './column.ts'
import { csvOf, downloadCsv } from './csv.ts'
import { Grid } from './grid.tsx'
import type { Selection } from './selection.ts'
import { isShown, useColumnChoice } from './shown-columns.ts'
import { dataTableTexts } from './texts.ts'
import { Toolbar } from './toolbar.tsx'

interface DataTableProps<Row> {
  /** The name of the CSV file, and the key under which the browser remembers which columns are shown. */
  name: string
  caption: string
  rows: readonly Row[]
  rowKey(row: Row): string
  /** Memoize the columns of a long table: a new array makes the table sort and filter all rows again. */
  columns: readonly DataColumn<Row>[]
  /** Whether the toolbar has a field that searches all columns. */
  search?: boolean
  /** Shown at the end of the toolbar. */
  actions?: ReactNode
  selection?: Selection | undefined
  /** Shown when there are no rows at all. */
  empty?: ReactNode
  /** False if the rows are only a part of a longer list, because sorting the rows would not sort the list. */
  isSortable?: boolean
  /** Whether the table fills the height of its container. If not, it extends at most to the bottom of the screen. */
  fills?: boolean
  /** Shown below the table instead of the number of rows. */
  foot?: ReactNode
  /** False for a short table: it has no toolbar and no footer, and only its headers sort it. */
  hasToolbar?: boolean
  /** Precedes the names of search, sort and filters in the URL, for a second table on a page. */
  addressPrefix?: string
}

/**
 * A table to search, sort, filter and export. Search, sort and filters are in the URL. A long table renders only the
 * visible rows; on a phone each row is a card.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const {
    name,
    caption,
    rows,
    rowKey,
    columns,
    selection,
    empty,
    hasToolbar = true,
    fills = false,
    isSortable = true,
    addressPrefix = '',
  } = props
  const t = useTexts(dataTableTexts)
  const locale = useLocale()
  const booleanLabels = useMemo(() => ({ yes: t('yes'), no: t('no') }), [t])
  const arrangement = useArrangement(columns, addressPrefix)
  // Typing stays smooth while a long table is sorted and filtered.
  const deferred = useDeferredValue(arrangement)
  const arranged = useMemo(
    () => arrange(rows, columns, isSortable ? deferred : { ...deferred, sort: undefined }, { locale, booleanLabels }),
    [rows, columns, deferred, isSortable, locale, booleanLabels],
  )
  const [choice, setChoice] = useColumnChoice(name)
  const shown = useMemo(() => columns.filter((column) => isShown(column, choice)), [columns, choice])
  const container = useRef<HTMLDivElement>(null)
  if (rows.length === 0 && empty !== undefined) return empty
  const clear = () => {
    arrangement.clear()
    // The button disappears, so the focus moves to the table.
    container.current?.focus()
  }
  return (
    <div className={fills ? 'st-data-table st-data-table-fill' : 'st-data-table'} ref={container} tabIndex={-1}>
      {hasToolbar ? (
        <Toolbar
          caption={caption}
          columns={columns}
          rows={rows}
          booleanLabels={booleanLabels}
          arrangement={arrangement}
          hasSearch={props.search ?? false}
          isSortable={isSortable}
          choice={choice}
          onChoice={setChoice}
          onExport={() => downloadCsv(name, csvOf(shown.filter(isData), arranged, booleanLabels))}
          actions={props.actions}
        />
      ) : null}
      {arranged.length === 0 ? (
        <EmptyState
          icon="search"
          level={3}
          title={t('noMatches')}
          text={t('noMatchesText')}
          action={<Button label={t('clear')} onClick={clear} />}
        />
      ) : (
        <Grid
          caption={caption}
          columns={shown}
          rows={arranged}
          rowKey={rowKey}
          booleanLabels={booleanLabels}
          sort={isSortable ? arrangement.sort : undefined}
          onSort={isSortable ? arrangement.setSort : undefined}
          selection={selection}
          fills={fills}
        />
      )}
      {hasToolbar ? (
        <div className="st-data-table-foot st-quiet" role="status">
          {props.foot ?? <Count shown={arranged.length} total={rows.length} selected={selection?.selected.size ?? 0} />}
        </div>
      ) : null}
    </div>
  )
}

function Count({ shown, total, selected }: { shown: number; total: number; selected: number }): ReactNode {
  const t = useTexts(dataTableTexts)
  return (
    <>
      {shown === total ? t('rows', { n: total }) : t('someRows', { n: shown, total })}
      {selected > 0 ? ` · ${t('selected', { n: selected })}` : null}
    </>
  )
}
