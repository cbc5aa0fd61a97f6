import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useActing } from '../access/sandbox-token.ts'
import { layerTexts } from './texts.ts'

/** Explains who can change layers, to users who cannot. */
export function WriteAccessNote(): ReactNode {
  const t = useTexts(layerTexts)
  return (
    <AccessNote acting={useActing()} permission="building.layers:write">
      {t('readOnly')}
    </AccessNote>
  )
}
