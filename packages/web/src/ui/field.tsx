import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { Icon } from './icon.tsx'

interface FieldTexts {
  label: string
  hint?: ReactNode
  /** Why the current value is invalid. */
  error?: string | undefined
  /** Only screen readers get the label. */
  hideLabel?: boolean | undefined
}

interface FieldProps extends FieldTexts {
  /** Renders the control with the attributes that link it to its label, hint and error. */
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A control with a label, a hint and an error. */
export function Field({ label, hint, error, hideLabel, children }: FieldProps): ReactNode {
  const id = useId()
  const describedBy = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="st-field">
      <label htmlFor={id} className={hideLabel ? 'st-visually-hidden' : undefined}>
        {label}
      </label>
      {children({
        id,
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {error ? (
        <span className="st-field-error" id={`${id}-error`}>
          <Icon name="warning" size={12} /> {error}
        </span>
      ) : null}
      {hint ? (
        <span className="st-field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
    </div>
  )
}

type TextFieldProps = FieldTexts & { onText(text: string): void; unit?: string } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'onChange'
  >

export function TextField({ label, hint, error, hideLabel, onText, unit, ...rest }: TextFieldProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(attributes) => (
        <span className="st-input">
          <input type="text" {...rest} {...attributes} onChange={(event) => onText(event.target.value)} />
          {unit ? <span className="st-unit">{unit}</span> : null}
        </span>
      )}
    </Field>
  )
}

type TextAreaProps = FieldTexts & { onText(text: string): void } & Omit<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    'onChange'
  >

/** A multi-line text field. */
export function TextArea({ label, hint, error, hideLabel, onText, ...rest }: TextAreaProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(attributes) => <textarea {...rest} {...attributes} onChange={(event) => onText(event.target.value)} />}
    </Field>
  )
}

interface SelectProps<Value extends string>
  extends FieldTexts,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  value: Value
  options: readonly { value: Value; label: string }[]
  onValue(value: NoInfer<Value>): void
}

export function Select<Value extends string>(props: SelectProps<Value>): ReactNode {
  const { label, hint, error, hideLabel, options, onValue, ...rest } = props
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(attributes) => (
        <span className="st-select">
          <select {...rest} {...attributes} onChange={(event) => onValue(event.target.value as Value)}>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="chevron" size={12} />
        </span>
      )}
    </Field>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  hint?: ReactNode
  value: Value
  options: readonly { value: Value; label: string; hint?: string }[]
  onValue(value: NoInfer<Value>): void
}

/** Radio buttons. */
export function Choice<Value extends string>({ label, hint, value, options, onValue }: ChoiceProps<Value>): ReactNode {
  const name = useId()
  return (
    <fieldset className="st-choice">
      <legend>{label}</legend>
      <div className="st-choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onValue(option.value)}
            />
            <span>
              {option.label}
              {option.hint === undefined ? null : <small>{option.hint}</small>}
            </span>
          </label>
        ))}
      </div>
      {hint ? <span className="st-field-hint">{hint}</span> : null}
    </fieldset>
  )
}

interface CheckboxProps {
  label: string
  hint?: string
  checked: boolean
  disabled?: boolean
  onChecked(checked: boolean): void
}

export function Checkbox({ label, hint, checked, disabled, onChecked }: CheckboxProps): ReactNode {
  return (
    <label className="st-checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.target.checked)}
      />
      <span>
        {label}
        {hint === undefined ? null : <small>{hint}</small>}
      </span>
    </label>
  )
}
