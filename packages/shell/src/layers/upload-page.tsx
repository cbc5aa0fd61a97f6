import type { DataLayer, LayerValueRecord } from '@storey/sdk'
import { ErrorPanel, isNotFound, LoadingState, Page, Panel, useTexts, useTitle } from '@storey/web'
import { type ReactNode, useMemo, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useLayerValues } from '../colouring/use-layer-values.ts'
import type { PageProps } from '../page-props.ts'
import { columnsOf } from '../table-input/columns.ts'
import { nodeFinders } from '../table-input/find-nodes.ts'
import { type GivenTable, TableInput } from '../table-input/table-input.tsx'
import { LayerNotFound } from './layer-not-found.tsx'
import { prepareUpload } from './prepare-upload.ts'
import { TemplateButton } from './template-button.tsx'
import { guessSettings, type UploadSettings } from './upload-columns.ts'
import { UploadReport } from './upload-report.tsx'
import { UploadSettingsFields } from './upload-settings.tsx'
import { uploadTexts } from './upload-texts.ts'
import { useLayer } from './use-layers.ts'
import { WriteAccessNote } from './write-access-note.tsx'

/** Fills a layer from a table. Nothing is written before the user has seen what each row does. */
export default function UploadPage({ params }: PageProps): ReactNode {
  const t = useTexts(uploadTexts)
  const { may } = useApiAccess()
  const { building } = useBuildingData()
  const id = params.id ?? ''
  const layer = useLayer(id)
  useTitle(t('title'), building.name)
  if (isNotFound(layer.error)) return <LayerNotFound />
  return (
    <Page title={t('title')} wide back={{ to: `/layers/${id}`, label: layer.data?.name ?? '' }}>
      <ErrorPanel error={layer.error} onRetry={layer.reload} />
      {!may('building.layers:write') ? (
        <WriteAccessNote />
      ) : layer.data ? (
        <WithValues key={id} layer={layer.data} />
      ) : layer.error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}

function WithValues({ layer }: { layer: DataLayer }): ReactNode {
  const values = useLayerValues(layer)
  const isFailed = values.error !== undefined
  if (!values.data && !isFailed) return <LoadingState />
  return (
    <>
      <ErrorPanel error={values.error} onRetry={values.reload} />
      {values.data ? <Upload layer={layer} known={isFailed ? undefined : values.data} /> : null}
    </>
  )
}

interface UploadProps {
  layer: DataLayer
  /**
   * The values before the upload. Undefined while they cannot be read: the table stays, but is not compared with them.
   */
  known: ReadonlyMap<string, LayerValueRecord> | undefined
}

function Upload({ layer, known }: UploadProps): ReactNode {
  const t = useTexts(uploadTexts)
  const { spaces } = useBuildingData()
  const finders = useMemo(() => nodeFinders(spaces), [spaces])
  const [table, setTable] = useState<GivenTable>()
  const [settings, setSettings] = useState<UploadSettings>()
  const take = (next: GivenTable | undefined) => {
    setTable(next)
    setSettings(next && guessSettings(next.rows, layer, finders))
  }
  const columns = useMemo(
    () => (table && settings ? columnsOf(table.rows, settings.hasHeader) : undefined),
    [table, settings],
  )
  const prepared = useMemo(() => {
    if (!columns || !settings || !known || settings.valueColumn < 0) return undefined
    return prepareUpload(columns.rows, { ...settings, layer, findRoom: finders[settings.matchBy] }, known)
  }, [columns, settings, layer, finders, known])
  return (
    <>
      <Panel title={t('source')} actions={table || !known ? null : <TemplateButton layer={layer} known={known} />}>
        <TableInput table={table} onTable={take} hasHeader={settings?.hasHeader ?? false} />
      </Panel>
      {columns && settings ? (
        <Panel title={t('columns')}>
          <UploadSettingsFields layer={layer} columns={columns} settings={settings} onSettings={setSettings} />
        </Panel>
      ) : null}
      {prepared && settings && known ? (
        <UploadReport layer={layer} known={known} prepared={prepared} matchBy={settings.matchBy} />
      ) : null}
    </>
  )
}
