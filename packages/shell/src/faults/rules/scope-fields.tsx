import { elementTypes, FAULT_RULE_SCOPE, quantityKinds, unitsOf } from '@storey/contract'
import { Combobox, Select, storedName, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { shellTexts } from '../../app/texts.ts'
import { useBuildingData } from '../../building/building-data.tsx'
import { elementTypeName, quantityName, unitName } from '../../building/catalog-names.ts'
import { POINT_TYPE_TEXTS } from '../../points/point-table.tsx'
import styles from '../faults.module.css'
import { hasNoScope, ruleOf } from './rule-form.ts'
import type { RuleFormProps } from './rule-form-props.ts'
import { ruleTexts } from './texts.ts'
import { type RuleScope, watchedPoints } from './watched-points.ts'

const POINT_TYPES = Object.keys(POINT_TYPE_TEXTS) as (keyof typeof POINT_TYPE_TEXTS)[]

/** The fields that select the points of a rule, with the number of points that the rule then watches. */
export function ScopeFields({ fields, rule, rules, problems, refused, onChange }: RuleFormProps): ReactNode {
  const t = useTexts(ruleTexts)
  const shell = useTexts(shellTexts)
  const locale = useLocale()
  const model = useBuildingData()
  const points = usePointOptions()
  const types = useMemo(() => sorted(elementTypes.map(({ slug }) => [slug, elementTypeName(slug, locale)])), [locale])
  const kinds = useMemo(() => sorted(quantityKinds.map(({ name }) => [name, quantityName(name, locale)])), [locale])
  const names = usePointNames(fields.pointName)
  const { pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = fields
  const count = useMemo(() => {
    const edited = ruleOf(fields)
    const scope = Object.fromEntries(FAULT_RULE_SCOPE.map((name) => [name, edited[name] ?? null]))
    const { id, isDefault } = rule ?? { id: '', isDefault: false }
    return watchedPoints({ ...(scope as unknown as RuleScope), kind: edited.kind, id, isDefault }, rules, model).length
  }, [fields, rule, rules, model])
  const isEmpty = hasNoScope(fields)
  const units = sorted(unitsOf(quantityKind).map((name) => [name, unitName(name, locale)]))
  return (
    <fieldset className={styles.scope}>
      <legend>{t('scope')}</legend>
      <p className="st-field-hint">{t('scopeHint')}</p>
      <div className={styles.scopeFields}>
        <Combobox
          label={t('elementType')}
          none={t('anyElementType')}
          options={types}
          value={elementTypeSlug}
          onChange={(value) => onChange({ elementTypeSlug: value })}
          error={refused.elementTypeSlug}
        />
        <Combobox
          label={t('quantity')}
          none={t('anyQuantity')}
          options={kinds}
          value={quantityKind}
          onChange={(value) => onChange({ quantityKind: value, unit: '' })}
          error={refused.quantityKind}
        />
        <Combobox
          label={t('unit')}
          none={t('anyUnit')}
          options={
            unit === '' || units.some(({ value }) => value === unit) ? units : [...units, { value: unit, label: unit }]
          }
          value={unit}
          onChange={(value) => onChange({ unit: value })}
          error={refused.unit}
          disabled={units.length === 0 && unit === ''}
        />
        <Select
          label={t('pointType')}
          value={pointType ?? ''}
          options={[
            { value: '', label: t('anyPointType') },
            ...POINT_TYPES.map((value) => ({ value, label: shell(POINT_TYPE_TEXTS[value]) })),
          ]}
          onValue={(value) => onChange({ pointType: value })}
          error={refused.pointType}
        />
        <Combobox
          label={t('pointName')}
          none={t('anyName')}
          options={names}
          value={pointName}
          onChange={(value) => onChange({ pointName: value })}
          error={refused.pointName}
        />
        <div className={styles.wholeRow}>
          <Combobox
            label={t('point')}
            none={t('anyPoint')}
            options={points}
            value={pointId}
            onChange={(value) => onChange({ pointId: value })}
            error={refused.pointId}
          />
        </div>
      </div>
      {problems.scope ? (
        <p className="st-field-error" role="alert">
          {t(problems.scope)}
        </p>
      ) : isEmpty ? null : (
        <p className="st-quiet" role="status">
          {count === 0 ? t('watchesNone') : t('watches', { n: count })}
        </p>
      )}
    </fieldset>
  )
}

/** The names of the building's points, and the chosen name, even if no point of the building has this name. */
function usePointNames(chosen: string) {
  const { points } = useBuildingData()
  return useMemo(() => {
    const names = new Map(points.map((point) => [storedName(point), point.name]))
    if (chosen !== '' && !names.has(chosen)) names.set(chosen, chosen)
    return sorted([...names])
  }, [points, chosen])
}

function usePointOptions() {
  const model = useBuildingData()
  return useMemo(
    () =>
      model.points.map(({ id, name, code, elementId }) => ({
        value: id,
        label: `${name} · ${model.element(elementId)?.name ?? code}`,
        detail: model.spaceOf(id)?.name ?? model.storeyOf(id)?.name,
      })),
    [model],
  )
}

const sorted = (options: readonly [value: string, label: string][]) =>
  options.map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label))
