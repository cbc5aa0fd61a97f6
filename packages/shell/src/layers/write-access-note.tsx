import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { AccessNote } from '../access/access-note.tsx'
import { useActing } from '../access/sandbox-token.ts'
import { useShell } from '../app/shell.ts'
import { layerTexts } from './texts.ts'

/** Says who can change layers, to users who cannot. Administrators can give themselves the role. */
export function WriteAccessNote(): ReactNode {
  const t = useTexts(layerTexts)
  const { may } = useShell()
  const acting = useActing()
  return (
    <AccessNote acting={acting} permission="building.layers:write">
      {t('readOnly')}{' '}
      {may('platform.people:write') ? (
        <>
          {t('giveRole')} <Link to="/people">{t('people')}</Link>
        </>
      ) : null}
    </AccessNote>
  )
}
