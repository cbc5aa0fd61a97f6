import { LIMITS } from '@storey/contract'
import { Select, TextField, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import type { Columns } from '../table-input/columns.ts'
import styles from './imports.module.css'
import { type TableMapping, withMatchBy } from './prepare-rows.ts'
import { FIELDS, type FieldName, type ImportKind } from './table-fields.ts'
import { tableTexts } from './table-texts.ts'

interface MappingFieldsProps {
  kind: ImportKind
  columns: Columns
  mapping: TableMapping
  sourceSystem: string
  onMapping(mapping: TableMapping): void
  onSourceSystem(name: string): void
}

const NONE = ''

/** Lets the user select the column of the table for each field. */
export function MappingFields(props: MappingFieldsProps): ReactNode {
  const { kind, columns, mapping, sourceSystem, onMapping, onSourceSystem } = props
  const t = useTexts(tableTexts)
  const options = columns.names.map((name, i) => {
    const example = columns.rows.find(({ cells }) => (cells[i] ?? '') !== '')?.cells[i]?.slice(0, 24)
    const label = name || t('column', { n: i + 1 })
    return { value: String(i), label: example === undefined ? label : t('columnNamed', { name: label, example }) }
  })
  const fields: { field: FieldName; isRequired: boolean }[] = [
    ...(mapping.matchBy === 'externalId' ? [{ field: 'code' as const, isRequired: false }] : []),
    ...FIELDS[kind],
  ]
  const setColumn = (field: FieldName, value: string) => {
    const { [field]: _, ...others } = mapping.columns
    onMapping({ ...mapping, columns: value === NONE ? others : { ...others, [field]: Number(value) } })
  }
  const isReserved = sourceSystem.trim().toLowerCase() === 'ifc'
  return (
    <div className="st-stack">
      <div className={styles.fields}>
        <Select<TableMapping['matchBy']>
          label={t('matchBy')}
          value={mapping.matchBy}
          options={[
            { value: 'code', label: t('matchCode') },
            { value: 'externalId', label: t('matchExternalId') },
          ]}
          onValue={(matchBy) => onMapping(withMatchBy(mapping, matchBy, columns.names))}
        />
        <Select
          label={t('keyColumn')}
          value={mapping.keyColumn === undefined ? NONE : String(mapping.keyColumn)}
          options={mapping.keyColumn === undefined ? [{ value: NONE, label: t('choose') }, ...options] : options}
          onValue={(value) => onMapping({ ...mapping, keyColumn: Number(value) })}
        />
        {mapping.matchBy === 'externalId' ? (
          <TextField
            label={t('sourceSystem')}
            hint={t('sourceSystemHint')}
            error={isReserved ? t('sourceSystemIfc') : undefined}
            value={sourceSystem}
            onText={onSourceSystem}
            maxLength={LIMITS.node.sourceSystemLength}
            autoComplete="off"
          />
        ) : null}
      </div>
      <div className={styles.fields}>
        {fields.map(({ field, isRequired }) => (
          <Select
            key={field}
            label={t(field)}
            hint={isRequired && mapping.columns[field] === undefined ? t('neededForNew') : undefined}
            value={mapping.columns[field] === undefined ? NONE : String(mapping.columns[field])}
            options={[{ value: NONE, label: t('none') }, ...options]}
            onValue={(value) => setColumn(field, value)}
          />
        ))}
      </div>
    </div>
  )
}
