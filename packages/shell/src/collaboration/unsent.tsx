import { TextArea } from '@storey/web'
import type { ReactNode } from 'react'

/** A comment for a step that is no longer possible, so that the user can copy it. */
export function Unsent({ text, label }: { text: string; label: string }): ReactNode {
  if (text.trim() === '') return null
  return <TextArea label={label} rows={3} value={text} readOnly onText={() => undefined} />
}
