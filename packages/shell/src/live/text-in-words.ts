import { useWords } from '@storey/web'
import { useCallback } from 'react'
import { shellWords } from '../app/words.ts'

/** Whether nobody sees anything of a text: it has spaces alone, or nothing. */
export const isUnseen = (text: string): boolean => /^[\s\p{Cf}]*$/u.test(text)

/** A text as it is; one of which nothing is to be seen says so. */
export function useTextInWords(): (text: string) => string {
  const t = useWords(shellWords)
  return useCallback((text) => (isUnseen(text) ? t(text === '' ? 'emptyText' : 'blankText') : text), [t])
}
