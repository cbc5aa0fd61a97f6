import { LIMITS } from '@storey/contract'
import type { DataLayer, LegendEntry } from '@storey/sdk'
import {
  Button,
  Choice,
  ErrorPanel,
  ifUnchanged,
  Note,
  Select,
  useAction,
  useLocale,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useApiAccess } from '../access/api-access.ts'
import styles from './layers.module.css'
import {
  colorsOf,
  type DraftEntry,
  draftOf,
  emptyEntry,
  PALETTES,
  type PaletteName,
  readDraft,
  suggestBands,
  suggestCategories,
  suggestYesAndNo,
} from './legend-draft.ts'
import { LegendEntryFields } from './legend-entry.tsx'
import { legendTexts } from './legend-texts.ts'
import type { Value } from './read-value.ts'
import { typedNumber } from './typed-number.ts'
import { ruleOf } from './value-rule.ts'

interface LegendEditorProps {
  layer: DataLayer
  values: readonly Value[]
  /** Called with the legend after every change, so that the plan shows the legend before it is saved. */
  onPreview(legend: LegendEntry[] | null): void
  onSaved(layer: DataLayer): void
}

export function LegendEditor({ layer, values, onPreview, onSaved }: LegendEditorProps): ReactNode {
  const t = useTexts(legendTexts)
  const { api } = useApiAccess()
  const toasts = useToasts()
  const decimalMark = useLocale() === 'ru' ? ',' : '.'
  const { valueType } = layer
  const stored = useMemo(
    () => (layer.legend?.length ? draftOf(layer.legend, (value) => typedNumber(value, decimalMark)) : null),
    [layer.legend, decimalMark],
  )
  /** Null: the automatic legend, whose `source` in the API is `derived`. */
  const [draft, setDraft] = useState<readonly DraftEntry[] | null>(stored)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { legend, problems } = useMemo(() => readDraft(valueType, draft ?? []), [valueType, draft])
  const isDirty = !isSame(draft, stored)
  useUnsavedGuard(isDirty)
  useEffect(() => onPreview(draft === null ? null : legend), [draft, legend, onPreview])
  // The layer with which the draft began. If somebody else changes the layer while the draft has changes, saving is
  // refused with a message. A draft without changes is replaced by the legend of the changed layer.
  const [base, setBase] = useState({ layer, stored })
  /** The draft that was saved last. It has no changes, even if the stored legend writes a number in another form. */
  const [saved, setSaved] = useState<{ draft: typeof draft; updatedAt: string }>()
  const begin = () => {
    setBase({ layer, stored })
    setDraft(stored)
  }
  if (base.layer !== layer) {
    if (!isDirty || isSame(draft, base.stored) || draft === saved?.draft) begin()
    // The user has continued to edit while the draft was being saved.
    else if (layer.updatedAt === saved?.updatedAt) setBase({ layer, stored })
  }

  const save = useAction(async () => {
    const body = { legend: draft === null ? null : legend }
    const now = await api.layers.update(layer.id, body, ifUnchanged(base.layer))
    setSaved({ draft, updatedAt: now.updatedAt })
    toasts.show(t('saved'))
    setWasSubmitted(false)
    onSaved(now)
  })
  const rule = ruleOf(valueType, layer.valueSchema)
  const choices = rule.kind === 'choices' ? rule.values : undefined
  const show = (entries: readonly LegendEntry[]) =>
    setDraft(draftOf(entries, (value) => typedNumber(value, decimalMark)))
  const suggested = (bands = 5, palette: PaletteName = 'lowToHigh') => {
    if (valueType === 'NUMBER') return suggestBands(values as readonly number[], bands, palette)
    if (valueType === 'BOOLEAN') return suggestYesAndNo({ yes: t('yes'), no: t('no') })
    // Allowed values are in the order in which they were given, other values in alphabetical order.
    return suggestCategories(choices ?? [...values].sort())
  }
  const nextColor = colorsOf('lowToHigh', 5)[(draft?.length ?? 0) % 5]!
  const replace = (i: number, entry: DraftEntry) => setDraft(draft!.with(i, entry))
  const submit = () => {
    setWasSubmitted(true)
    if (problems.size === 0) void save.run()
  }
  return (
    <div className="st-stack">
      <Choice<'automatic' | 'own'>
        label={t('mode')}
        value={draft === null ? 'automatic' : 'own'}
        options={[
          { value: 'automatic', label: t('automatic'), hint: t('automaticHint') },
          { value: 'own', label: t('own'), hint: t('ownHint') },
        ]}
        onValue={(mode) =>
          mode === 'automatic' ? setDraft(null) : show(layer.legend?.length ? layer.legend : suggested())
        }
      />
      {draft === null ? (
        <AutomaticLabels valueType={valueType} values={values} />
      ) : (
        <>
          <Suggestion
            valueType={valueType}
            hasValues={values.length > 0 || choices !== undefined || valueType === 'BOOLEAN'}
            onSuggest={(bands, palette) => show(suggested(bands, palette))}
          />
          {draft.length === 0 ? <p className="st-quiet">{t('empty')}</p> : null}
          {draft.length > 0 ? <Heads isRange={draft.some(({ isRange }) => isRange)} /> : null}
          <ul className={styles.entries}>
            {draft.map((entry, i) => (
              <LegendEntryFields
                key={entry.id}
                entry={entry}
                n={i + 1}
                valueType={valueType}
                choices={choices}
                problems={wasSubmitted ? problems.get(entry.id) : undefined}
                onChange={(next) => replace(i, next)}
                onRemove={() => setDraft(draft.toSpliced(i, 1))}
                onUp={i === 0 ? undefined : () => setDraft(draft.toSpliced(i - 1, 2, entry, draft[i - 1]!))}
              />
            ))}
          </ul>
          <div className="st-row">
            <Button
              small
              icon="plus"
              label={t('add')}
              disabled={draft.length >= LIMITS.layer.legendEntries}
              onClick={() => setDraft([...draft, emptyEntry(valueType, nextColor)])}
            />
            {valueType === 'NUMBER' ? (
              <Button
                small
                icon="plus"
                label={t('addExact')}
                disabled={draft.length >= LIMITS.layer.legendEntries}
                onClick={() => setDraft([...draft, { ...emptyEntry(valueType, nextColor), isRange: false }])}
              />
            ) : null}
          </div>
          {valueType === 'NUMBER' ? <p className="st-field-hint">{t('bothEnds')}</p> : null}
          <Coverage legend={legend} values={values} />
        </>
      )}
      <ErrorPanel error={save.error} />
      {wasSubmitted && problems.size > 0 ? <Note tone="bad">{t('fix')}</Note> : null}
      {isDirty ? (
        <div className="st-row">
          <Button kind="primary" label={t('save')} isBusy={save.isBusy} onClick={submit} />
          <Button
            label={t('discard')}
            onClick={() => {
              begin()
              setWasSubmitted(false)
              save.clear()
            }}
          />
        </div>
      ) : null}
    </div>
  )
}

const contentOf = (draft: readonly DraftEntry[]) => draft.map(({ id: _, ...content }) => content)
const isSame = (one: readonly DraftEntry[] | null, other: readonly DraftEntry[] | null): boolean =>
  JSON.stringify(one && contentOf(one)) === JSON.stringify(other && contentOf(other))

/** The titles of the columns. Each field has a label of its own for screen readers. */
function Heads({ isRange }: { isRange: boolean }): ReactNode {
  const t = useTexts(legendTexts)
  const titles = isRange ? [t('color'), t('min'), t('max'), t('label')] : [t('color'), t('value'), t('label')]
  return (
    <div className={styles.heads} data-exact={isRange ? undefined : ''} aria-hidden="true">
      {titles.map((title) => (
        <span key={title}>{title}</span>
      ))}
      <span className={styles.noButtons} />
    </div>
  )
}

/** Explains the fixed labels of an automatic legend. */
function AutomaticLabels({
  valueType,
  values,
}: Pick<DataLayer, 'valueType'> & { values: readonly Value[] }): ReactNode {
  const t = useTexts(legendTexts)
  if (valueType === 'BOOLEAN') return <p className="st-field-hint">{t('fixedLabels')}</p>
  const isCollapsed = valueType !== 'NUMBER' && new Set(values).size > 10
  return isCollapsed ? <p className="st-field-hint">{t('othersLabel')}</p> : null
}

/** Warns about values that the legend does not contain. */
function Coverage({ legend, values }: { legend: readonly LegendEntry[]; values: readonly Value[] }): ReactNode {
  const t = useTexts(legendTexts)
  if (values.length === 0 || legend.length === 0) return null
  const holds = ({ value, min, max }: LegendEntry, one: Value) =>
    value === undefined ? typeof one === 'number' && min! <= one && one <= max! : value === one
  const outside = values.filter((one) => !legend.some((entry) => holds(entry, one))).length
  if (outside === values.length) return <Note tone="warn">{t('matchesNothing')}</Note>
  return outside > 0 ? <Note tone="warn">{t('outside', { n: outside })}</Note> : null
}

interface SuggestionProps {
  valueType: DataLayer['valueType']
  hasValues: boolean
  onSuggest(bands: number, palette: PaletteName): void
}

function Suggestion({ valueType, hasValues, onSuggest }: SuggestionProps): ReactNode {
  const t = useTexts(legendTexts)
  const [bands, setBands] = useState('5')
  const [palette, setPalette] = useState<PaletteName>('lowToHigh')
  const suggest = () => onSuggest(Number(bands), palette)
  if (valueType !== 'NUMBER') {
    return (
      <div>
        <Button small label={t('suggestValues')} disabled={!hasValues} onClick={suggest} />
      </div>
    )
  }
  return (
    <div className={styles.suggest}>
      <Select
        label={t('bands')}
        value={bands}
        options={['2', '3', '4', '5', '6', '7', '8'].map((value) => ({ value, label: value }))}
        onValue={setBands}
      />
      <Select<PaletteName>
        label={t('palette')}
        value={palette}
        options={(Object.keys(PALETTES) as PaletteName[]).map((value) => ({ value, label: t(value) }))}
        onValue={setPalette}
      />
      <Button label={t('suggestBands')} disabled={!hasValues} onClick={suggest} />
    </div>
  )
}
