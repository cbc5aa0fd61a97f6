import {
  Badge,
  Code,
  EmptyState,
  kindOfRoom,
  LoadingState,
  Note,
  nodeName,
  ROOM_KINDS,
  roomKindColour,
  roomKindTexts,
  Spinner,
  Tabs,
  useFormat,
  useLocale,
  useTexts,
  useTheme,
  withNames,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import type { Preview } from './preview.ts'
import { previewTexts } from './preview-texts.ts'
import { RoomTable } from './room-table.tsx'
import { StoreyPicker } from './storey-picker.tsx'
import { StoreyPlan } from './storey-plan.tsx'
import type { PreviewState } from './use-preview.ts'
import './preview.css'

interface BuildingPreviewProps extends PreviewState {
  /** The fingerprint in the sandbox record; null until the record has one. Absent if there is no sandbox yet. */
  recordedFingerprint?: string | null
}

/** The building for a set of parameters: plans, figures and fingerprint. */
export function BuildingPreview(props: BuildingPreviewProps): ReactNode {
  const { preview, isGenerating, isOutdated, error, recordedFingerprint } = props
  const t = useTexts(previewTexts)
  const locale = useLocale()
  const [chosen, setChosen] = useState<number>()
  const [view, setView] = useState<'plan' | 'table'>('plan')
  if (error !== undefined && !preview) return <Note tone="bad">{error}</Note>
  if (!preview)
    return isGenerating ? (
      <LoadingState text={t('generating')} />
    ) : (
      <EmptyState title={t('none')} text={t('noneText')} />
    )
  const storeys = preview.storeys.map((storey) => ({ ...storey, name: nodeName('storey', storey.name, locale) }))
  const selected =
    storeys.find(({ index }) => index === chosen) ?? storeys.find(({ index }) => index === 0) ?? storeys[0]!
  const storey = { ...selected, rooms: withNames('space', selected.rooms, locale) }
  return (
    <div className={isOutdated ? 'preview preview-outdated' : 'preview'} aria-busy={isGenerating}>
      {error === undefined ? null : <Note tone="bad">{error}</Note>}
      {isOutdated && error === undefined ? <Note tone="warn">{t('outdated')}</Note> : null}
      <div className="preview-head">
        <div>
          <strong>{preview.name}</strong>
          <span className="st-quiet">{preview.address}</span>
        </div>
        {isGenerating ? <Spinner /> : null}
      </div>
      <Figures preview={preview} />
      <div className="preview-body">
        <StoreyPicker storeys={storeys} chosen={storey.index} onChoose={setChosen} />
        <Tabs
          label={t('title')}
          selected={view}
          onSelect={setView}
          tabs={[
            { key: 'plan', label: t('plan'), content: () => <PlanView storey={storey} /> },
            { key: 'table', label: t('table'), content: () => <RoomTable storey={storey} /> },
          ]}
        />
      </div>
      <Fingerprint fingerprint={preview.fingerprint} recorded={recordedFingerprint ?? undefined} />
    </div>
  )
}

function PlanView({ storey }: { storey: Preview['storeys'][number] }): ReactNode {
  const t = useTexts(previewTexts)
  const format = useFormat()
  const kindText = useTexts(roomKindTexts)
  const { theme } = useTheme()
  const kinds = new Set(storey.rooms.map(({ spaceType }) => kindOfRoom(spaceType)))
  return (
    <>
      <StoreyPlan
        storey={storey}
        label={t('planOf', { storey: storey.name, rooms: storey.rooms.length })}
        describe={({ code, name, areaSqm }) => t('roomText', { code, name, area: format.number(areaSqm, 1) })}
      />
      <ul className="plan-legend">
        {ROOM_KINDS.filter((kind) => kinds.has(kind)).map((kind) => (
          <li key={kind}>
            <svg viewBox="0 0 12 12" width={12} height={12} aria-hidden="true">
              <rect className="plan-room" fill={roomKindColour(kind, theme)} width={12} height={12} rx={2} />
            </svg>
            {kindText(kind)}
          </li>
        ))}
        {storey.rooms.some(({ status }) => status === 'vacant') ? (
          <li>
            <svg viewBox="0 0 12 12" width={12} height={12} aria-hidden="true">
              <rect
                className="plan-room plan-vacant"
                fill={roomKindColour('retail', theme)}
                width={12}
                height={12}
                rx={2}
              />
            </svg>
            {t('vacant')}
          </li>
        ) : null}
      </ul>
    </>
  )
}

function Figures({ preview }: { preview: Preview }): ReactNode {
  const t = useTexts(previewTexts)
  const format = useFormat()
  const figures = [
    [t('storeysLabel'), format.number(preview.storeys.length)],
    [t('rooms'), format.number(preview.rooms)],
    [t('elements'), format.number(preview.elements)],
    [t('points'), format.number(preview.points)],
    [t('totalArea'), t('sqm', { area: format.number(preview.areaSqm) })],
  ] as const
  return (
    <dl className="figures">
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  )
}

function Fingerprint({ fingerprint, recorded }: { fingerprint: string; recorded: string | undefined }): ReactNode {
  const t = useTexts(previewTexts)
  return (
    <div className="st-stack preview-fingerprint">
      <Code title={t('fingerprint')} text={fingerprint} />
      {recorded === undefined ? (
        <span className="st-field-hint">{t('fingerprintHint')}</span>
      ) : (
        <span>
          {recorded === fingerprint ? (
            <Badge tone="good">{t('fingerprintAgrees')}</Badge>
          ) : (
            <Badge tone="warn">{t('fingerprintDiffers')}</Badge>
          )}
        </span>
      )}
    </div>
  )
}
