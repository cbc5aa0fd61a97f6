import { Field, Icon, setQuery, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { unitSymbol } from '../live/format-value.ts'
import type { ColouringChoice } from './use-colouring.ts'

interface ColourPickerProps {
  choice: Pick<ColouringChoice, 'id' | 'signals' | 'layers'>
  /** The query parameter that holds the choice. */
  parameter?: string
  /** Choices that the page adds. */
  further?: readonly { value: string; label: string }[]
}

export function ColourPicker({ choice, parameter = 'colour', further = [] }: ColourPickerProps): ReactNode {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const { id, signals, layers } = choice
  return (
    <Field label={t('colourBy')}>
      {(attributes) => (
        <span className="st-select">
          <select {...attributes} value={id} onChange={(event) => setQuery({ [parameter]: event.target.value })}>
            <option value="type">{t('colourType')}</option>
            {further.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
            {signals.length > 0 ? (
              <optgroup label={t('colourLive')}>
                {signals.map((signal) => (
                  <option key={signal.id} value={`live:${signal.id}`}>
                    {withUnit(signal.name, unitSymbol(signal.unit, locale))}
                  </option>
                ))}
              </optgroup>
            ) : null}
            {layers.length > 0 ? (
              <optgroup label={t('colourLayers')}>
                {layers.map((layer) => (
                  <option key={layer.id} value={`layer:${layer.key}`}>
                    {layer.name}
                  </option>
                ))}
              </optgroup>
            ) : null}
          </select>
          <Icon name="chevron" size={12} />
        </span>
      )}
    </Field>
  )
}

export const withUnit = (name: string, unit: string | undefined): string => (unit ? `${name}, ${unit}` : name)
