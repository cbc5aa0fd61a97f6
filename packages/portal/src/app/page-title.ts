import { useTitle, useWords } from '@storey/web'
import { appWords } from './words.ts'

export function usePageTitle(title: string): void {
  const t = useWords(appWords)
  useTitle(title, t('name'))
}
