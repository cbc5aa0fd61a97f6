import { Button, Choice, ErrorPanel, Panel, Select, TextField, useFormat, useTexts } from '@storey/web'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type CreateFields, type FieldError, type FieldErrors, newSeed } from './create-fields.ts'
import { createTexts } from './create-texts.ts'

interface CreateFormProps {
  fields: CreateFields
  errors: FieldErrors
  serverErrors: Record<string, string>
  error: unknown
  isBusy: boolean
  /** The area that results from the other fields if the user types no area. */
  defaultAreaSqm: number | undefined
  onChange(changes: Partial<CreateFields>): void
  onSubmit(): void
}

const DENSITIES = ['sparse', 'realistic', 'dense'] as const
const PROFILES = ['24x7', 'office-hours', 'peak-evenings'] as const
const DEFAULT_PROFILE = { office: 'office-hours', mall: 'peak-evenings' } as const

export function CreateForm(props: CreateFormProps): ReactNode {
  const { fields, errors, serverErrors, error, isBusy, defaultAreaSqm, onChange, onSubmit } = props
  const format = useFormat()
  const t = useTexts(createTexts)
  const [touched, setTouched] = useState<readonly string[]>([])
  const [wasSubmitted, setWasSubmitted] = useState(false)

  const errorText = (fieldError: FieldError): string =>
    t(fieldError.key as 'whole', fieldError as unknown as { min: number; max: number })
  const errorOf = (field: keyof CreateFields): string | undefined => {
    const fieldError = errors[field]
    // An untouched field shows no error before the form is submitted.
    if (fieldError && (wasSubmitted || touched.includes(field))) return errorText(fieldError)
    return serverErrors[field]
  }
  const bind = (
    field: 'name' | 'storeys' | 'areaSqm' | 'spacesMin' | 'spacesMax' | 'seed' | 'ttlDays' | 'seedTelemetryDays',
  ) => ({
    name: field,
    value: fields[field],
    error: errorOf(field),
    onText: (text: string) => {
      if (field !== 'name') setTouched((all) => [...all, field])
      onChange({ [field]: text })
    },
    onBlur: () => {
      if (fields[field] !== '') setTouched((all) => [...all, field])
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    const inputs = [...event.currentTarget.querySelectorAll('input')]
    if (Object.keys(errors).length === 0) onSubmit()
    else inputs.find(({ name }) => name in errors)?.focus()
  }
  return (
    <form className="st-stack create-form" onSubmit={submit} noValidate>
      <Panel title={t('building')}>
        <div className="create-fields">
          <TextField
            {...bind('name')}
            label={t('name')}
            hint={t('nameHint')}
            placeholder={t('namePlaceholder')}
            autoComplete="off"
          />
          <Choice
            label={t('type')}
            value={fields.buildingType}
            onValue={(buildingType) => onChange({ buildingType })}
            options={[
              { value: 'office', label: t('office') },
              { value: 'mall', label: t('mall') },
            ]}
          />
          <div className="create-pair">
            <TextField
              {...bind('storeys')}
              type="number"
              min={1}
              max={50}
              label={t('storeys')}
              hint={t('storeysHint')}
            />
            <TextField
              {...bind('areaSqm')}
              inputMode="decimal"
              placeholder={defaultAreaSqm === undefined ? '' : format.number(defaultAreaSqm)}
              unit={t('sqm')}
              label={t('area')}
              hint={t('areaHint')}
            />
          </div>
          <div className="create-pair">
            <TextField
              {...bind('spacesMin')}
              type="number"
              min={1}
              max={200}
              label={t('spacesMin')}
              hint={t('spacesHint')}
            />
            <TextField
              {...bind('spacesMax')}
              type="number"
              min={1}
              max={200}
              label={t('spacesMax')}
              hint={t('spacesHint')}
            />
          </div>
          <Choice
            label={t('density')}
            value={fields.equipmentDensity}
            onValue={(equipmentDensity) => onChange({ equipmentDensity })}
            options={DENSITIES.map((value) => ({ value, label: t(value) }))}
          />
          <Select
            label={t('profile')}
            value={fields.occupancyProfile}
            onValue={(occupancyProfile) => onChange({ occupancyProfile })}
            options={[
              {
                value: '',
                label: t('profileDefault', { profile: t(DEFAULT_PROFILE[fields.buildingType]).toLowerCase() }),
              },
              ...PROFILES.map((value) => ({ value, label: t(value) })),
            ]}
          />
        </div>
      </Panel>
      <Panel title={t('sandbox')}>
        <div className="create-fields">
          <div className="create-pair">
            <TextField
              {...bind('ttlDays')}
              type="number"
              min={1}
              max={30}
              unit={t('days')}
              label={t('ttl')}
              hint={t('ttlHint')}
            />
            <TextField
              {...bind('seedTelemetryDays')}
              type="number"
              min={0}
              max={30}
              unit={t('days')}
              label={t('telemetry')}
              hint={t('telemetryHint')}
            />
          </div>
          <SeedField {...bind('seed')} onNewSeed={(seed) => onChange({ seed })} />
        </div>
      </Panel>
      <ErrorPanel error={error} />
      <Button type="submit" label={t('submit')} kind="primary" isBusy={isBusy} />
    </form>
  )
}

function SeedField(props: {
  name: string
  value: string
  error: string | undefined
  onText(text: string): void
  onBlur(): void
  onNewSeed(seed: string): void
}): ReactNode {
  const { onNewSeed, ...field } = props
  const t = useTexts(createTexts)
  return (
    <div className="create-seed">
      <TextField
        {...field}
        label={t('seed')}
        hint={t('seedHint')}
        className="mono"
        autoComplete="off"
        spellCheck={false}
      />
      <Button label={t('newSeed')} icon="reset" onClick={() => onNewSeed(newSeed())} />
    </div>
  )
}
