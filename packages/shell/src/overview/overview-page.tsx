import { EmptyState, ErrorPanel, LoadingState, Note, Page, Panel, useTexts } from '@storey/web'
import { type ReactNode, useDeferredValue } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { ColourPicker } from '../colouring/colour-picker.tsx'
import { Legend } from '../colouring/legend.tsx'
import { NotAllMarked } from '../fault-marks/not-all-marked.tsx'
import { useValuesFailure } from '../live/live.tsx'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import styles from './overview.module.css'
import { StoppedNotice } from './stopped-notice.tsx'
import { MAX_TALL_ROWS, StoreyHeatmap } from './storey-heatmap.tsx'
import { overviewTexts } from './texts.ts'
import { useHeatmap } from './use-heatmap.ts'

/** The whole building at a glance. */
export default function OverviewPage(): ReactNode {
  const t = useTexts(overviewTexts)
  const { building, storeys } = useBuildingData()
  return (
    <Page wide title={building.name}>
      <StoppedNotice />
      <Figures />
      {storeys.length === 0 ? (
        <EmptyState icon="building" title={t('noRooms')} text={t('noRoomsText')} />
      ) : (
        <div className={styles.columns}>
          <Storeys />
          <Attention />
        </div>
      )}
    </Page>
  )
}

function Storeys(): ReactNode {
  const t = useTexts(overviewTexts)
  const shell = useTexts(shellTexts)
  const { spaces, storeys } = useBuildingData()
  const heatmap = useHeatmap()
  const values = useValuesFailure()
  const { colouring, error, missing } = heatmap
  const legendColouring = useDeferredValue(colouring)
  return (
    <Panel
      title={t('storeys')}
      lead={t('storeysText')}
      actions={<ColourPicker choice={heatmap} parameter="heat" further={heatmap.further} />}
    >
      {missing ? <Note tone="warn">{t('colourMissing', { name: missing })}</Note> : null}
      <ErrorPanel error={error ?? values.error} onRetry={error === undefined ? values.reload : undefined} />
      <NotAllMarked />
      <div className={styles.building}>
        <StoreyHeatmap colouring={colouring} planChoice={heatmap.planChoice} unit={heatmap.unit} />
        <div className={styles.legend} data-above={storeys.length > MAX_TALL_ROWS ? '' : undefined}>
          {legendColouring ? <Legend colouring={legendColouring} spaces={spaces} /> : null}
          {colouring || error !== undefined ? null : <LoadingState text={shell('loadingLayer')} />}
        </div>
      </div>
    </Panel>
  )
}
