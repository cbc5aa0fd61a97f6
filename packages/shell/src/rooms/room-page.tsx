import type { SpaceNode } from '@storey/sdk'
import { ButtonLink, navigate, Page, Panel, useLocale, useTitle, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { spaceTypeName } from '../building/space-types.ts'
import { ChosenChart } from '../charts/chosen-chart.tsx'
import type { PageProps } from '../page-props.ts'
import { Plan } from '../plan/plan.tsx'
import { RoomEquipment } from './room-equipment.tsx'
import { RoomFacts } from './room-facts.tsx'
import { RoomRequests } from './room-requests.tsx'
import styles from './rooms.module.css'

/** A room: what it is, where, what stands and is measured in it, and what people ask for. */
export default function RoomPage({ params }: PageProps): ReactNode {
  const t = useWords(shellWords)
  const { space } = useBuildingData()
  const found = space(params.id ?? '')
  return found ? <Found space={found} /> : <NotFound title={t('noSuchRoom')} />
}

function Found({ space }: { space: SpaceNode }): ReactNode {
  const t = useWords(shellWords)
  const locale = useLocale()
  const model = useBuildingData()
  const { may } = useShell()
  useTitle(space.name, model.building.name)
  const storey = model.storey(space.storeyId)
  return (
    <Page
      wide
      title={space.name}
      lead={`${spaceTypeName(space.spaceTypeSlug, locale)} · ${storey?.name ?? ''}`}
      actions={
        may('building.changesets:write') ? (
          <ButtonLink to={`/changesets/new?space=${space.id}`} label={t('proposeChange')} />
        ) : null
      }
      back={{ to: `/?storey=${storey?.code ?? ''}&room=${space.id}`, label: storey?.name ?? '' }}
    >
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title={t('facts')}>
            <RoomFacts space={space} isWhole />
          </Panel>
          <Panel flush>
            <div className={styles.smallPlan}>
              <Plan
                isSmall
                label={t('planOf', { storey: storey?.name ?? '' })}
                spaces={model.spacesOf(space.storeyId)}
                outline={storey?.polygon}
                selectedId={space.id}
                onSelect={({ id }) => navigate(`/rooms/${id}`)}
              />
            </div>
          </Panel>
          <RoomRequests space={space} />
        </div>
        <div className={styles.column}>
          <ChosenChart points={model.pointsIn(space.id)} />
          <RoomEquipment space={space} />
        </div>
      </div>
    </Page>
  )
}
