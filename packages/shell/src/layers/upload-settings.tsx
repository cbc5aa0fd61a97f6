import type { DataLayer } from '@storey/sdk'
import { Checkbox, Select, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import type { Columns } from '../table-input/columns.ts'
import { NODE_KEYS, type NodeKey } from '../table-input/find-nodes.ts'
import { type DecimalMark, guessDecimalMark } from '../table-input/read-cell.ts'
import styles from './layers.module.css'
import type { UploadSettings } from './upload-columns.ts'
import { uploadTexts } from './upload-texts.ts'

interface UploadSettingsProps {
  layer: DataLayer
  columns: Columns
  settings: UploadSettings
  onSettings(settings: UploadSettings): void
}

/** How the table is read: which column has the rooms, and which column has the values. */
export function UploadSettingsFields({ layer, columns, settings, onSettings }: UploadSettingsProps): ReactNode {
  const t = useTexts(uploadTexts)
  const options = columns.names.map((name, i) => ({ value: String(i), label: columnLabel(columns, name, i) }))
  const change = (changes: Partial<UploadSettings>) => onSettings({ ...settings, ...changes })
  const cells = columns.rows.map((row) => row.cells[settings.valueColumn] ?? '')
  const hasComma = layer.valueType === 'NUMBER' && cells.some((cell) => cell.includes(','))

  function columnLabel({ rows }: Columns, name: string, i: number): string {
    const example = rows.find((row) => (row.cells[i] ?? '') !== '')?.cells[i]?.slice(0, 24)
    const label = name || t('column', { n: i + 1 })
    return example === undefined ? label : t('columnNamed', { name: label, example })
  }
  return (
    <div className="st-stack">
      <div className={styles.settings}>
        <Select
          label={t('roomColumn')}
          value={String(settings.roomColumn)}
          options={options}
          onValue={(column) => change({ roomColumn: Number(column) })}
        />
        <Select<NodeKey>
          label={t('matchBy')}
          value={settings.matchBy}
          options={NODE_KEYS.map((value) => ({ value, label: t(value) }))}
          onValue={(matchBy) => change({ matchBy })}
        />
        <Select
          label={t('valueColumn')}
          value={String(settings.valueColumn)}
          options={settings.valueColumn < 0 ? [{ value: '-1', label: t('choose') }, ...options] : options}
          onValue={(column) => {
            const valueColumn = Number(column)
            const decimalMark = guessDecimalMark(columns.rows.map((row) => row.cells[valueColumn] ?? ''))
            change({ valueColumn, decimalMark })
          }}
        />
        {hasComma ? (
          <Select<DecimalMark>
            label={t('decimalMark')}
            value={settings.decimalMark}
            options={[
              { value: '.', label: t('point') },
              { value: ',', label: t('comma') },
            ]}
            onValue={(decimalMark) => change({ decimalMark })}
          />
        ) : null}
      </div>
      <Checkbox label={t('hasHeader')} checked={settings.hasHeader} onChecked={(hasHeader) => change({ hasHeader })} />
    </div>
  )
}
