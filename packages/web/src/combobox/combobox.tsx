import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePopup } from '../ui/use-popup.ts'
import { type ComboboxOption, matchOptions } from './match-options.ts'
import { OptionList } from './option-list.tsx'
import { typedText } from './typed-text.ts'

interface ComboboxProps<Value extends string> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  options: readonly ComboboxOption<Value>[]
  /** The value of the selected option, or empty. */
  value: NoInfer<Value> | ''
  onChange(value: NoInfer<Value> | ''): void
  /** The label of the empty value. If set, the value can be cleared. */
  none?: string
  placeholder?: string
  disabled?: boolean
  /** Only screen readers get the label. */
  hideLabel?: boolean
}

/** A text field with a list of options that the typed text filters. The list may have thousands of options. */
export function Combobox<Value extends string>(props: ComboboxProps<Value>): ReactNode {
  const { label, hint, error, options, value, onChange, none, placeholder, disabled, hideLabel } = props
  const t = useTexts(webTexts)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const anchor = useRef<HTMLSpanElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  /** What the user has typed since the list was opened. */
  const [typed, setTyped] = useState<string>()
  const [active, setActive] = useState(0)
  usePopup(anchor, popup, { isOpen, fitsAnchor: true })
  /** Whether text was selected when the user last typed or pasted. */
  const hadSelection = useRef(false)
  useEffect(() => {
    const field = input.current!
    const onBeforeInput = () => {
      hadSelection.current = field.selectionStart !== field.selectionEnd
    }
    // React's `onBeforeInput` is not this event: it is emulated, and not called for all kinds of input.
    field.addEventListener('beforeinput', onBeforeInput)
    return () => field.removeEventListener('beforeinput', onBeforeInput)
  }, [])

  const all = useMemo(
    () => (none === undefined ? options : [{ value: '' as const, label: none }, ...options]),
    [none, options],
  )
  const text = useDeferredValue(typed)
  const shown = useMemo(() => matchOptions<ComboboxOption<Value | ''>>(all, text ?? ''), [all, text])
  const selected = useMemo(() => options.find((option) => option.value === value), [options, value])

  const shownLabel = selected?.label ?? none ?? ''

  const open = () => {
    if (isOpen || disabled) return
    setIsOpen(true)
    setActive(
      Math.max(
        0,
        all.findIndex((option) => option.value === value),
      ),
    )
  }
  const close = () => {
    setIsOpen(false)
    setTyped(undefined)
  }
  const choose = (option: ComboboxOption<Value | ''>) => {
    close()
    if (option.value !== value) onChange(option.value)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, active, shown.length)
    if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Enter' && isOpen) {
      // `shown` is deferred, so it may still be filtered by an earlier text.
      const option = (text === typed ? shown : matchOptions(all, typed ?? ''))[active]
      if (option) choose(option)
    } else if (target !== undefined && !isOpen) {
      open()
      input.current?.select()
    } else if (target !== undefined) setActive(target)
    else return
    event.preventDefault()
    // Escape closes the list, not the dialog around it.
    event.stopPropagation()
  }
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(attributes) => (
        <span className="st-input st-combobox" ref={anchor}>
          <input
            {...attributes}
            ref={input}
            type="text"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && shown[active] ? `${id}-${active}` : undefined}
            autoComplete="off"
            spellCheck={false}
            disabled={disabled}
            value={typed ?? shownLabel}
            placeholder={placeholder ?? t('choose')}
            onClick={open}
            onFocus={(event) => event.target.select()}
            onBlur={close}
            onChange={(event) => {
              open()
              const text = event.target.value
              setTyped(typed === undefined ? typedText(text, shownLabel, hadSelection.current) : text)
              hadSelection.current = false
              setActive(0)
            }}
            onKeyDown={onKeyDown}
          />
          {none !== undefined && selected && !disabled ? (
            <Button
              kind="quiet"
              small
              iconOnly
              icon="cross"
              label={t('clearValue', { label })}
              onClick={() => {
                onChange('')
                input.current?.focus()
              }}
            />
          ) : (
            <Icon name="chevron" size={12} />
          )}
          <div ref={popup} popover="manual" className="st-options">
            {isOpen ? (
              <OptionList
                id={id}
                label={label}
                options={shown}
                value={value}
                active={active}
                box={popup}
                onChoose={choose}
              />
            ) : null}
          </div>
        </span>
      )}
    </Field>
  )
}

const PAGE = 8

/** The option that a key moves to; undefined for other keys. */
function targetOf(key: string, active: number, count: number): number | undefined {
  const last = Math.max(0, count - 1)
  switch (key) {
    case 'ArrowDown':
      return active >= last ? 0 : active + 1
    case 'ArrowUp':
      return active <= 0 ? last : active - 1
    case 'PageDown':
      return Math.min(last, active + PAGE)
    case 'PageUp':
      return Math.max(0, active - PAGE)
    default:
      return undefined
  }
}
