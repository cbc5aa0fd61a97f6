import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useApiAccess } from '../access/api-access.ts'
import { layerTexts } from './texts.ts'

/**
 * Explains who may change layers, to users without this permission. While the page uses the token of the sandbox, the
 * note has a button that makes the page forget the token.
 */
export function WriteAccessNote(): ReactNode {
  const t = useTexts(layerTexts)
  return (
    <AccessNote access={useApiAccess()} permission="building.layers:write">
      {t('readOnly')}
    </AccessNote>
  )
}
