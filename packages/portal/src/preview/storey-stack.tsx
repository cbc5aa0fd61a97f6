import { useWords } from '@storey/web'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import type { StoreyPreview } from './preview.ts'
import { previewWords } from './preview-words.ts'

interface StoreyStackProps {
  storeys: readonly StoreyPreview[]
  chosen: number
  onChoose(index: number): void
}

/** The storeys from top to bottom, as they stand. Arrow keys climb. */
export function StoreyStack({ storeys, chosen, onChoose }: StoreyStackProps): ReactNode {
  const t = useWords(previewWords)
  const name = useId()
  const stack = useRef<HTMLFieldSetElement>(null)
  // A tower starts at its top: what is shown may lie far below. The page itself stays where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of storeys is another stack
  useEffect(() => {
    const shown = stack.current?.querySelector('input:checked')?.parentElement
    if (stack.current && shown) stack.current.scrollTop = shown.offsetTop - stack.current.clientHeight / 2
  }, [storeys.length])
  return (
    <fieldset ref={stack} className="storey-stack" aria-label={t('storeysLabel')}>
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
