import { useTexts, useTitle } from '@storey/web'
import { appTexts } from './texts.ts'

export function usePageTitle(title: string): void {
  const t = useTexts(appTexts)
  useTitle(title, t('name'))
}
