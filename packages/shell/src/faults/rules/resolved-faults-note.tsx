import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { ruleTexts } from './texts.ts'

/**
 * Explains what happens to the active faults of a rule that is disabled or deleted. `n` is the number of these faults,
 * or undefined if the number is unknown.
 */
export function ResolvedFaultsNote({ n }: { n: number | undefined }): ReactNode {
  const t = useTexts(ruleTexts)
  if (n === 0) return null
  return <p>{n === undefined ? t('resolvesAny') : t('resolvesFaults', { n })}</p>
}
