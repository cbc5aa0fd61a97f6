import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useApiAccess } from '../access/api-access.ts'
import { layerTexts } from './texts.ts'

/** Explains who can change layers, to users who cannot. While the sandbox token is in use, it offers to forget it. */
export function WriteAccessNote(): ReactNode {
  const t = useTexts(layerTexts)
  return (
    <AccessNote access={useApiAccess()} permission="building.layers:write">
      {t('readOnly')}
    </AccessNote>
  )
}
