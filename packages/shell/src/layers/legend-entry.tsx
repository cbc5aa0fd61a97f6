import { Button, Field, Select, TextField, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import type { ValueType } from './layer-draft.ts'
import styles from './layers.module.css'
import { type DraftEntry, type EntryProblems, labelFor } from './legend-draft.ts'
import { legendTexts } from './legend-texts.ts'

interface LegendEntryProps {
  entry: DraftEntry
  /** The position in the legend, from 1. */
  n: number
  valueType: ValueType
  /** The values that the layer allows, if it has a list of them. */
  choices: readonly string[] | undefined
  /** The problems of the entry; undefined without problems, and before the first attempt to save. */
  problems: EntryProblems | undefined
  onChange(entry: DraftEntry): void
  onRemove(): void
  /** Undefined for the first entry. */
  onUp: (() => void) | undefined
}

/** The fields of one entry of the legend. */
export function LegendEntryFields(props: LegendEntryProps): ReactNode {
  const { entry, n, valueType, problems, onChange, onRemove, onUp } = props
  const t = useTexts(legendTexts)
  const of = (name: string) => `${name}, ${t('entryOf', { n })}`
  const error = (field: keyof EntryProblems) => {
    const problem = problems?.[field]
    return problem && t(problem)
  }
  const text = (field: 'min' | 'max' | 'label', placeholder?: string) => (
    <TextField
      label={of(t(field))}
      error={error(field)}
      value={entry[field]}
      placeholder={placeholder ?? t(field)}
      onText={(value) => onChange({ ...entry, [field]: value })}
      inputMode={field === 'label' ? 'text' : 'decimal'}
      maxLength={200}
      autoComplete="off"
    />
  )
  return (
    <li className={styles.entry} data-exact={entry.isRange ? undefined : ''}>
      <Field label={of(t('color'))} error={error('color')}>
        {(attributes) => (
          <span className={styles.color}>
            <input
              type="color"
              {...attributes}
              value={hexOf(entry.color)}
              onChange={(event) => onChange({ ...entry, color: event.target.value })}
            />
          </span>
        )}
      </Field>
      {entry.isRange ? (
        <>
          {text('min')}
          {text('max')}
        </>
      ) : (
        <ValueField {...props} label={of(t('value'))} error={error('value')} />
      )}
      {text('label', labelFor(valueType, entry) === ' – ' ? undefined : labelFor(valueType, entry) || undefined)}
      <span className={styles.entryButtons}>
        <span className={styles.up}>
          <Button small kind="quiet" iconOnly icon="chevron" label={t('up', { n })} disabled={!onUp} onClick={onUp} />
        </span>
        <Button small kind="quiet" iconOnly icon="cross" label={t('remove', { n })} onClick={onRemove} />
      </span>
    </li>
  )
}

function ValueField(props: LegendEntryProps & { label: string; error: string | undefined }): ReactNode {
  const { entry, valueType, choices, label, error, onChange } = props
  const t = useTexts(legendTexts)
  const onValue = (value: string) => onChange({ ...entry, value })
  if (valueType === 'BOOLEAN') {
    const options = [
      { value: 'true', label: t('yes') },
      { value: 'false', label: t('no') },
    ]
    return <Select label={label} error={error} value={entry.value} options={options} onValue={onValue} />
  }
  if (choices) {
    const options = [...new Set(['', ...choices, entry.value])].map((value) => ({ value, label: value || t('value') }))
    return <Select label={label} error={error} value={entry.value} options={options} onValue={onValue} />
  }
  return (
    <TextField
      label={label}
      error={error}
      value={entry.value}
      placeholder={t('value')}
      onText={onValue}
      inputMode={valueType === 'NUMBER' ? 'decimal' : 'text'}
      autoComplete="off"
    />
  )
}

let canvas: CanvasRenderingContext2D | null | undefined

/** The colour as a colour input needs it, such as #00aa88; the browser resolves names and short forms. */
function hexOf(color: string): string {
  if (/^#[0-9a-f]{6}$/i.test(color)) return color.toLowerCase()
  canvas ??= document.createElement('canvas').getContext('2d')
  if (!canvas) return '#000000'
  canvas.fillStyle = '#000000'
  canvas.fillStyle = color
  const shown = String(canvas.fillStyle)
  return /^#[0-9a-f]{6}$/.test(shown) ? shown : '#000000'
}
