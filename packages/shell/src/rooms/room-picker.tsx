import { Combobox } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'

interface RoomPickerProps {
  label: string
  /** The label of the empty value. */
  none: string
  /** The label of a whole storey. If set, storeys can be chosen too. */
  whole?: (storey: string) => string
  /** The id of a room or storey, or empty. */
  value: string
  error?: string | undefined
  onValue(id: string): void
}

/** Lets the user choose a room by its name, its code or its storey, and with `whole` also a storey. */
export function RoomPicker({ label, none, whole, value, error, onValue }: RoomPickerProps): ReactNode {
  const { storeys, spacesOf } = useBuildingData()
  const wholeStoreys = useMemo(
    () => storeys.map(({ id, name, code }) => ({ value: id, label: whole?.(name) ?? name, detail: code })),
    [storeys, whole],
  )
  const rooms = useMemo(
    () =>
      storeys.flatMap((storey) =>
        spacesOf(storey.id).map(({ id, name, code }) => ({
          value: id,
          label: name,
          detail: `${code} · ${storey.name}`,
        })),
      ),
    [storeys, spacesOf],
  )
  const options = useMemo(() => (whole ? [...wholeStoreys, ...rooms] : rooms), [whole, wholeStoreys, rooms])
  return <Combobox label={label} none={none} options={options} value={value} error={error} onChange={onValue} />
}
