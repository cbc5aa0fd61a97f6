import type { SpaceNode } from '@storey/sdk'
import { ButtonLink, navigate, Page, Panel, spaceTypeName, useLocale, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { useShell } from '../app/shell.ts'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { SelectedChart } from '../charts/selected-chart.tsx'
import { FaultPanel } from '../fault-marks/fault-panel.tsx'
import type { PageProps } from '../page-props.ts'
import { Plan } from '../plan/plan.tsx'
import { RoomDetails } from './room-details.tsx'
import { RoomEquipment } from './room-equipment.tsx'
import { RoomRequests } from './room-requests.tsx'
import styles from './rooms.module.css'

/** A room: details, plan, requests, chart and equipment. */
export default function RoomPage({ params }: PageProps): ReactNode {
  const t = useTexts(shellTexts)
  const { space } = useBuildingData()
  const found = space(params.id ?? '')
  return found ? <Room space={found} /> : <NotFound title={t('noSuchRoom')} />
}

function Room({ space }: { space: SpaceNode }): ReactNode {
  const t = useTexts(shellTexts)
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
      back={{
        to: `/plan?${new URLSearchParams({ storey: storey?.code ?? '', room: space.id })}`,
        label: storey?.name ?? '',
      }}
    >
      <div className={styles.columns}>
        <div className={styles.column}>
          <FaultPanel nodeId={space.id} />
          <Panel title={t('details')}>
            <RoomDetails space={space} showsAll />
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
          <SelectedChart key={space.id} points={model.pointsIn(space.id)} />
          <RoomEquipment space={space} />
        </div>
      </div>
    </Page>
  )
}
