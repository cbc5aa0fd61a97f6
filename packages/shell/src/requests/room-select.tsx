import { Field, Icon } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'

interface RoomSelectProps {
  label: string
  /** The label of the empty option. */
  none: string
  /** The label of a whole storey. If set, storeys can be selected too. */
  whole?: (storey: string) => string
  /** The id of a room or storey, or empty. */
  value: string
  error?: string | undefined
  onValue(id: string): void
}

/** Selects a room, grouped by storey. */
export function RoomSelect({ label, none, whole, value, error, onValue }: RoomSelectProps): ReactNode {
  const { storeys, spacesOf } = useBuildingData()
  return (
    <Field label={label} error={error}>
      {(attributes) => (
        <span className="st-select">
          <select {...attributes} value={value} onChange={(event) => onValue(event.target.value)}>
            <option value="">{none}</option>
            {storeys.map(({ id, name }) => (
              <optgroup key={id} label={name}>
                {whole ? <option value={id}>{whole(name)}</option> : null}
                {spacesOf(id).map((room) => (
                  <option key={room.id} value={room.id}>
                    {room.name} · {room.code}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
          <Icon name="chevron" size={12} />
        </span>
      )}
    </Field>
  )
}
