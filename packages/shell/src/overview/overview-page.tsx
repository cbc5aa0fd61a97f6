import { EmptyState, ErrorPanel, LoadingState, Note, Page, Panel, useTexts } from '@storey/web'
import { type ReactNode, useDeferredValue } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { ColourPicker } from '../colouring/colour-picker.tsx'
import { Legend } from '../colouring/legend.tsx'
import { useColouring } from '../colouring/use-colouring.ts'
import { useValuesError } from '../live/live.tsx'
import { HeatStack } from './heat-stack.tsx'
import styles from './overview.module.css'
import { overviewTexts } from './texts.ts'

/** The whole building at a glance. */
export default function OverviewPage(): ReactNode {
  const t = useTexts(overviewTexts)
  const { building, storeys } = useBuildingData()
  return (
    <Page wide title={building.name}>
      {storeys.length === 0 ? <EmptyState icon="building" title={t('noRooms')} text={t('noRoomsText')} /> : <Storeys />}
    </Page>
  )
}

function Storeys(): ReactNode {
  const t = useTexts(overviewTexts)
  const shell = useTexts(shellTexts)
  const { spaces } = useBuildingData()
  const choice = useColouring('heat')
  const valuesError = useValuesError()
  const { colouring } = choice
  const legendColouring = useDeferredValue(colouring)
  return (
    <Panel title={t('storeys')} lead={t('storeysText')} actions={<ColourPicker choice={choice} parameter="heat" />}>
      {choice.missing ? <Note tone="warn">{t('colourMissing', { name: choice.missing })}</Note> : null}
      <ErrorPanel error={choice.error ?? valuesError} />
      {colouring || choice.error !== undefined ? null : <LoadingState text={shell('loadingLayer')} />}
      <HeatStack colouring={colouring} planChoice={choice.id} />
      <div className={styles.legend}>
        {legendColouring ? <Legend colouring={legendColouring} spaces={spaces} /> : null}
      </div>
    </Panel>
  )
}
