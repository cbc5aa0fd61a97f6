import type { DataLayer, LayerValueRecord } from '@storey/sdk'
import { Button, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { csvOf, saveFile } from '../table-input/write-csv.ts'
import { typedNumber } from './typed-number.ts'
import { uploadTexts } from './upload-texts.ts'

interface TemplateButtonProps {
  layer: DataLayer
  known: ReadonlyMap<string, LayerValueRecord>
}

/** Saves a table of all rooms with their current values, which the user can edit in a spreadsheet. */
export function TemplateButton({ layer, known }: TemplateButtonProps): ReactNode {
  const t = useTexts(uploadTexts)
  const locale = useLocale()
  const { storeys, spacesOf } = useBuildingData()
  const save = () => {
    // Excel expects semicolons where the decimal separator is a comma.
    const [delimiter, mark] = locale === 'ru' ? ([';', ','] as const) : ([',', '.'] as const)
    const text = (value: unknown) => (typeof value === 'number' ? typedNumber(value, mark) : String(value ?? ''))
    const rows = storeys.flatMap(({ id, name }) =>
      spacesOf(id).map((room) => [room.code, room.name, name, text(known.get(room.id)?.value)]),
    )
    const header = [t('code'), t('room'), t('storey'), layer.name]
    saveFile(`${layer.key}.csv`, csvOf([header, ...rows], delimiter))
  }
  return <Button small label={t('template')} title={t('templateHint')} onClick={save} />
}
