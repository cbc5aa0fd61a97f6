import { useTexts } from '@storey/web'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import type { StoreyPreview } from './preview.ts'
import { previewTexts } from './preview-texts.ts'

interface StoreyPickerProps {
  storeys: readonly StoreyPreview[]
  chosen: number
  onChoose(index: number): void
}

/** A list of the storeys from top to bottom, as radio buttons. */
export function StoreyPicker({ storeys, chosen, onChoose }: StoreyPickerProps): ReactNode {
  const t = useTexts(previewTexts)
  const name = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  // In a tall building the selected storey may be far down the list. Setting `scrollTop` scrolls only the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again only when the number of storeys changes
  useEffect(() => {
    const shown = list.current?.querySelector('input:checked')?.parentElement
    if (list.current && shown) list.current.scrollTop = shown.offsetTop - list.current.clientHeight / 2
  }, [storeys.length])
  return (
    <fieldset ref={list} className="storey-picker" aria-label={t('storeysLabel')}>
      {storeys.toReversed().map((storey) => (
        <label key={storey.index} title={storey.name}>
          <input
            type="radio"
            name={name}
            checked={storey.index === chosen}
            onChange={() => onChoose(storey.index)}
            aria-label={storey.name}
          />
          <span aria-hidden="true">{storey.code}</span>
        </label>
      ))}
    </fieldset>
  )
}
