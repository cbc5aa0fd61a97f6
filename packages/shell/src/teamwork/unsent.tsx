import { TextArea } from '@storey/web'
import type { ReactNode } from 'react'

/** What somebody wrote for a step that is not there any more: theirs to copy. */
export function Unsent({ text, label }: { text: string; label: string }): ReactNode {
  if (text.trim() === '') return null
  return <TextArea label={label} rows={3} value={text} readOnly onText={() => undefined} />
}
