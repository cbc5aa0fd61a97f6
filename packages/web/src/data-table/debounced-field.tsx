import { type ReactNode, useEffect, useState } from 'react'
import { TextField } from '../ui/field.tsx'

const DEBOUNCE_MS = 200

interface DebouncedFieldProps {
  label: string
  value: string
  onValue(value: string): void
  placeholder?: string | undefined
  hideLabel?: boolean
}

/** A search field whose text takes effect when the user stops typing. */
export function DebouncedField({ label, value, onValue, placeholder, hideLabel }: DebouncedFieldProps): ReactNode {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped((text) => (text.trim() === value ? text : value)), [value])
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onValue(typed.trim()), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onValue])
  return (
    <TextField
      type="search"
      label={label}
      hideLabel={hideLabel}
      value={typed}
      onText={setTyped}
      placeholder={placeholder}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
