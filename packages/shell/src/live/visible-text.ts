import { useTexts } from '@storey/web'
import { useCallback } from 'react'
import { shellTexts } from '../app/texts.ts'

/** Whether a text is empty or consists of white space and invisible formatting characters only. */
export const isInvisible = (text: string): boolean => /^[\s\p{Cf}]*$/u.test(text)

/** Replaces an invisible text by a placeholder. */
export function useVisibleText(): (text: string) => string {
  const t = useTexts(shellTexts)
  return useCallback((text) => (isInvisible(text) ? t(text === '' ? 'emptyText' : 'blankText') : text), [t])
}
