import { FAULT_RULE_KINDS } from '@storey/contract'
import { Checkbox, Choice, Select, TextField, useLocale, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { unitText } from '../../building/catalog-names.ts'
import styles from '../faults.module.css'
import { SEVERITIES } from '../severities.ts'
import { faultTexts } from '../texts.ts'
import { DURATION_UNITS, type DurationUnit, durationUnitName } from './duration.ts'
import type { RuleFormProps } from './rule-form-props.ts'
import { ScopeFields } from './scope-fields.tsx'
import { ruleTexts } from './texts.ts'

/** The form fields of a rule. */
export function RuleForm(props: RuleFormProps): ReactNode {
  const { fields, rule, problems, refused, onChange } = props
  const t = useTexts(ruleTexts)
  const fault = useTexts(faultTexts)
  return (
    <>
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        error={problems.name ? t(problems.name) : refused.name}
        value={fields.name}
        onText={(name) => onChange({ name })}
        maxLength={200}
        autoComplete="off"
        required
      />
      {rule === undefined ? (
        <Choice
          label={t('kind')}
          value={fields.kind}
          options={FAULT_RULE_KINDS.map((value) => ({ value, label: t(value), hint: t(`${value}Hint`) }))}
          onValue={(kind) => onChange({ kind })}
        />
      ) : (
        <p>
          <strong>{t(fields.kind)}.</strong> <span className="st-quiet">{t('kindFixed')}</span>
        </p>
      )}
      <ScopeFields {...props} />
      <ConditionFields {...props} />
      <Choice
        label={t('severity')}
        value={fields.severity}
        options={SEVERITIES.map((value) => ({ value, label: fault(value) }))}
        onValue={(severity) => onChange({ severity })}
      />
      <Checkbox
        label={t('enabled')}
        hint={t('enabledHint')}
        checked={fields.enabled}
        onChecked={(enabled) => onChange({ enabled })}
      />
    </>
  )
}

/** The fields for the bounds and the duration. Only threshold rules have bounds, and alarm rules have neither. */
function ConditionFields({ fields, problems, refused, onChange }: RuleFormProps): ReactNode {
  const t = useTexts(ruleTexts)
  const locale = useLocale()
  const { kind } = fields
  if (kind === 'alarm') return null
  const unit = fields.unit === '' ? '' : unitText(fields.unit, locale)
  const units = Object.keys(DURATION_UNITS) as DurationUnit[]
  return (
    <div className={styles.condition}>
      {kind === 'threshold' ? (
        <>
          <TextField
            label={t('upper')}
            error={problems.above ? t(problems.above) : refused.above}
            value={fields.above}
            onText={(above) => onChange({ above })}
            unit={unit}
            inputMode="decimal"
            maxLength={20}
            autoComplete="off"
          />
          <TextField
            label={t('lower')}
            error={problems.below ? t(problems.below) : refused.below}
            value={fields.below}
            onText={(below) => onChange({ below })}
            unit={unit}
            inputMode="decimal"
            maxLength={20}
            autoComplete="off"
          />
        </>
      ) : null}
      <div className={styles.duration}>
        <TextField
          label={t('duration')}
          hint={t(kind === 'threshold' ? 'durationHint' : 'absenceHint')}
          error={problems.duration ? t(problems.duration) : refused.durationSeconds}
          value={fields.duration}
          onText={(duration) => onChange({ duration })}
          inputMode="numeric"
          maxLength={9}
          autoComplete="off"
        />
        <Select
          hideLabel
          label={t('durationUnit')}
          value={fields.durationUnit}
          options={units.toReversed().map((value) => ({ value, label: durationUnitName(value, locale) }))}
          onValue={(durationUnit) => onChange({ durationUnit })}
        />
      </div>
    </div>
  )
}
