import { type ReactNode, useMemo } from 'react'
import { Combobox } from '../combobox/combobox.tsx'
import { useTexts } from '../i18n/texts.ts'
import { Select } from '../ui/field.tsx'
import { type BooleanLabels, choicesOf, type DataColumn } from './column.ts'
import { DebouncedField } from './debounced-field.tsx'
import { dataTableTexts } from './texts.ts'

/** A filter with more options is a combobox, in which the options can be searched. */
const MAX_SELECT_OPTIONS = 12

interface FilterFieldProps<Row> {
  column: DataColumn<Row>
  rows: readonly Row[]
  booleanLabels: BooleanLabels
  value: string
  onValue(value: string): void
}

export function FilterField<Row>({ column, rows, booleanLabels, value, onValue }: FilterFieldProps<Row>): ReactNode {
  const t = useTexts(dataTableTexts)
  const isChoice = column.filter === 'choice'
  const options = useMemo(
    () => (isChoice ? choicesOf(column, rows, booleanLabels) : []),
    [isChoice, column, rows, booleanLabels],
  )
  if (!isChoice) {
    return (
      <DebouncedField
        label={column.title}
        value={value}
        onValue={onValue}
        placeholder={column.isNumeric ? t('comparison') : undefined}
      />
    )
  }
  // A filter from a link can name a value that no row has.
  const isKnown = value === '' || options.some((option) => option.value === value)
  const all = isKnown ? options : [...options, { value, label: value }]
  if (options.length > MAX_SELECT_OPTIONS) {
    return <Combobox label={column.title} none={t('any')} options={all} value={value} onChange={onValue} />
  }
  return (
    <Select label={column.title} value={value} options={[{ value: '', label: t('any') }, ...all]} onValue={onValue} />
  )
}
