import { Combobox, TextField } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { usePeople } from './use-people.ts'

interface PersonPickerProps {
  label: string
  /** The id of an account, or empty. */
  value: string
  onChange(id: string): void
  /** The label of the empty value. */
  none: string
  /** Shown below a text field for the id, if the accounts cannot be listed. */
  idHint: string
}

/**
 * Chooses somebody who can sign in to the sandbox. The accounts of an identity provider that Storey does not administer
 * cannot be listed, so there the user enters the id.
 */
export function PersonPicker({ label, value, onChange, none, idHint }: PersonPickerProps): ReactNode {
  const { data, error } = usePeople()
  const options = useMemo(() => {
    const people = (data ?? []).map(({ id, email }) => ({ value: id, label: email }))
    // The value may be the id of an account that was removed, or an id of another identity provider.
    const isUnknown = value !== '' && !people.some((one) => one.value === value)
    return isUnknown ? [...people, { value, label: value }] : people
  }, [data, value])
  if (error !== undefined && data === undefined)
    return <TextField label={label} hint={idHint} value={value} onText={onChange} maxLength={200} autoComplete="off" />
  return <Combobox label={label} options={options} value={value} onChange={onChange} none={none} />
}
