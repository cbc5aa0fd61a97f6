import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { usePopup } from '../ui/use-popup.ts'
import type { DataColumn } from './column.ts'
import { type ColumnChoice, isShown, mayHide } from './shown-columns.ts'
import { dataTableTexts } from './texts.ts'

interface ColumnMenuProps {
  columns: readonly DataColumn<never>[]
  choice: ColumnChoice
  onChoice(choice: ColumnChoice): void
}

/** Shows and hides columns. */
export function ColumnMenu({ columns, choice, onChoice }: ColumnMenuProps): ReactNode {
  const t = useTexts(dataTableTexts)
  const anchor = useRef<HTMLDivElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  usePopup(anchor, popup, { isOpen, align: 'end' })
  useEffect(() => {
    if (!isOpen) return
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!anchor.current?.contains(target as Node)) setIsOpen(false)
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and the loss of the focus close the menu
    <div
      ref={anchor}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        event.stopPropagation()
        setIsOpen(false)
        anchor.current?.querySelector('button')?.focus()
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !anchor.current?.contains(event.relatedTarget)) setIsOpen(false)
      }}
    >
      <Button icon="columns" label={t('columns')} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
      <div ref={popup} popover="manual" className="st-popup">
        {isOpen ? (
          <fieldset className="st-column-menu" aria-label={t('columns')}>
            {columns.filter(mayHide).map((column) => (
              <Checkbox
                key={column.key}
                label={column.title}
                checked={isShown(column, choice)}
                onChecked={(checked) => onChoice({ ...choice, [column.key]: checked })}
              />
            ))}
            {Object.keys(choice).length > 0 ? (
              <Button small kind="quiet" icon="reset" label={t('resetColumns')} onClick={() => onChoice({})} />
            ) : null}
          </fieldset>
        ) : null}
      </div>
    </div>
  )
}
