import { TextArea } from '@storey/web'
import type { ReactNode } from 'react'

/**
 * Shows a comment that the user typed for a step that is no longer possible. The comment was not sent, but can be
 * copied.
 */
export function Unsent({ text, label }: { text: string; label: string }): ReactNode {
  if (text.trim() === '') return null
  return <TextArea label={label} rows={3} value={text} readOnly onText={() => undefined} />
}
