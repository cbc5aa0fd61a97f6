import { type ReactNode, type RefObject, useCallback, useEffect } from 'react'
import { useVirtualItems } from '../data-table/use-virtual-items.ts'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import type { ComboboxOption } from './match-options.ts'

const OPTION_PX = 32

interface OptionListProps<Option extends ComboboxOption> {
  id: string
  label: string
  options: readonly Option[]
  value: string
  active: number
  /** The scrolling popup around the list. */
  box: RefObject<HTMLDivElement | null>
  onChoose(option: Option): void
}

/** The options of a combobox. The input keeps the focus and references the active option. */
export function OptionList<Option extends ComboboxOption>(props: OptionListProps<Option>): ReactNode {
  const { id, label, options, value, active, box, onChoose } = props
  const t = useTexts(webTexts)
  const keyOf = useCallback((index: number) => options[index]?.value ?? String(index), [options])
  const scroller = useCallback(() => box.current, [box])
  const list = useVirtualItems({ count: options.length, estimatePx: OPTION_PX, keyOf, scroller, kept: active })
  const { scrollTo } = list
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the active option or the options change
  useEffect(() => scrollTo(active), [active, options])
  return (
    <>
      <div id={`${id}-list`} role="listbox" aria-label={label} style={{ height: list.totalPx }}>
        {list.items.map(({ index, start }) => {
          const option = options[index]
          if (!option) return null
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
            <div
              key={option.value}
              id={`${id}-${index}`}
              ref={list.measure}
              data-index={index}
              data-active={index === active ? '' : undefined}
              role="option"
              aria-selected={option.value === value}
              aria-setsize={options.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(option)}
            >
              <span>{option.label}</span>
              {option.detail === undefined ? null : <small>{option.detail}</small>}
            </div>
          )
        })}
      </div>
      {options.length === 0 ? <p role="status">{t('noOptions')}</p> : null}
    </>
  )
}
