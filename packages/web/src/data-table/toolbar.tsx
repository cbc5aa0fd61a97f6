import { type ReactNode, useId, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { type ArrangementInAddress, sortText } from './address.ts'
import { type BooleanLabels, type DataColumn, isData } from './column.ts'
import { ColumnMenu } from './column-menu.tsx'
import { DebouncedField } from './debounced-field.tsx'
import { FilterField } from './filter-field.tsx'
import { type ColumnChoice, mayHide } from './shown-columns.ts'
import { dataTableTexts } from './texts.ts'

interface ToolbarProps<Row> {
  caption: string
  columns: readonly DataColumn<Row>[]
  rows: readonly Row[]
  booleanLabels: BooleanLabels
  arrangement: ArrangementInAddress
  hasSearch: boolean
  isSortable: boolean
  choice: ColumnChoice
  onChoice(choice: ColumnChoice): void
  onExport(): void
  actions: ReactNode
}

/** Search, filters, columns and export of a table. On a phone the filters and the sort are behind a button. */
export function Toolbar<Row>(props: ToolbarProps<Row>): ReactNode {
  const {
    caption,
    columns,
    rows,
    booleanLabels,
    arrangement,
    hasSearch,
    isSortable,
    choice,
    onChoice,
    onExport,
    actions,
  } = props
  const t = useTexts(dataTableTexts)
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const filtered = columns.filter(({ filter }) => filter !== undefined)
  return (
    <search className="st-toolbar" aria-label={caption}>
      <div className="st-toolbar-row">
        {hasSearch ? (
          <DebouncedField
            hideLabel
            label={t('search')}
            placeholder={t('search')}
            value={arrangement.search}
            onValue={arrangement.setSearch}
          />
        ) : null}
        {filtered.length > 0 || isSortable ? (
          <span className="st-toolbar-toggle">
            <Button
              icon="filter"
              label={filtered.length > 0 ? t('filters') : t('sortBy')}
              aria-expanded={isOpen}
              aria-controls={id}
              onClick={() => setIsOpen(!isOpen)}
            />
          </span>
        ) : null}
        <div className="st-toolbar-end">
          {columns.some(mayHide) ? <ColumnMenu columns={columns} choice={choice} onChoice={onChoice} /> : null}
          <Button icon="download" label={t('export')} onClick={onExport} />
          {actions}
        </div>
      </div>
      <div className="st-toolbar-filters" id={id} data-open={isOpen ? '' : undefined}>
        {filtered.map((column) => (
          <FilterField
            key={column.key}
            column={column}
            rows={rows}
            booleanLabels={booleanLabels}
            value={arrangement.filters[column.key] ?? ''}
            onValue={(value) => arrangement.setFilter(column.key, value)}
          />
        ))}
        {isSortable ? (
          <div className="st-toolbar-sort">
            <SortSelect columns={columns} arrangement={arrangement} />
          </div>
        ) : null}
        {arrangement.isFiltered ? (
          <Button kind="quiet" icon="cross" label={t('clear')} onClick={arrangement.clear} />
        ) : null}
      </div>
    </search>
  )
}

/** The sort on a phone, where the cards have no headers to click on. */
function SortSelect<Row>({ columns, arrangement }: Pick<ToolbarProps<Row>, 'columns' | 'arrangement'>): ReactNode {
  const t = useTexts(dataTableTexts)
  const options = columns.filter(isData).flatMap(({ key, title }) => [
    { value: key, label: t('ascending', { title }), sort: { key, isDescending: false } },
    { value: `-${key}`, label: t('descending', { title }), sort: { key, isDescending: true } },
  ])
  return (
    <Select
      label={t('sortBy')}
      value={sortText(arrangement.sort) ?? ''}
      options={[{ value: '', label: t('unsorted') }, ...options]}
      onValue={(value) => arrangement.setSort(options.find((option) => option.value === value)?.sort)}
    />
  )
}
