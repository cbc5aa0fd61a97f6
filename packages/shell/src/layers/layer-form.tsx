import { LIMITS } from '@storey/contract'
import { Checkbox, Choice, TextArea, TextField, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { type LayerDraft, type LayerProblems, VALUE_TYPES, type ValueType } from './layer-draft.ts'
import styles from './layers.module.css'
import { layerTexts } from './texts.ts'

interface LayerFormProps {
  draft: LayerDraft
  problems: LayerProblems
  /** Refusals of the API, by field. */
  refused?: Partial<Record<keyof LayerDraft, string | undefined>>
  /** An existing layer keeps its key and its type. */
  isNew: boolean
  onChange(changes: Partial<LayerDraft>): void
}

/** The fields of a layer. */
export function LayerForm({ draft, problems, refused = {}, isNew, onChange }: LayerFormProps): ReactNode {
  const t = useTexts(layerTexts)
  const error = (field: keyof LayerDraft) => {
    const problem = problems[field]
    return problem ? t(problem) : refused[field]
  }
  return (
    <>
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        error={error('name')}
        value={draft.name}
        onText={(name) => onChange({ name })}
        maxLength={LIMITS.layer.nameLength}
        autoComplete="off"
        required
      />
      {isNew ? (
        <TextField
          label={t('key')}
          hint={t('keyHint')}
          error={error('key')}
          value={draft.key}
          onText={(key) => onChange({ key })}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          required
        />
      ) : null}
      <TextArea
        label={t('description')}
        rows={2}
        maxLength={LIMITS.layer.descriptionLength}
        value={draft.description}
        onText={(description) => onChange({ description })}
      />
      {isNew ? (
        <Choice<ValueType>
          label={t('valueType')}
          value={draft.valueType}
          options={VALUE_TYPES.map((value) => ({ value, label: t(value), hint: t(`${value}Hint`) }))}
          onValue={(valueType) => onChange({ valueType })}
        />
      ) : (
        <p className="st-quiet">
          {t(draft.valueType)}. {t('typeFixed')}
        </p>
      )}
      {draft.isSchema ? (
        <TextArea
          label={t('schema')}
          hint={t('schemaHint')}
          error={error('schemaText')}
          rows={8}
          className={styles.code}
          spellCheck={false}
          value={draft.schemaText}
          onText={(schemaText) => onChange({ schemaText })}
        />
      ) : (
        <RuleFields draft={draft} error={error} onChange={onChange} />
      )}
      <Checkbox
        label={t('asSchema')}
        hint={t('asSchemaHint')}
        checked={draft.isSchema}
        onChecked={(isSchema) => onChange({ isSchema })}
      />
    </>
  )
}

interface RuleFieldsProps extends Pick<LayerFormProps, 'draft' | 'onChange'> {
  error(field: keyof LayerDraft): string | undefined
}

function RuleFields({ draft, error, onChange }: RuleFieldsProps): ReactNode {
  const t = useTexts(layerTexts)
  switch (draft.valueType) {
    case 'NUMBER':
      return (
        <>
          <div className={styles.pair}>
            {(['unit', 'min', 'max'] as const).map((field) => (
              <TextField
                key={field}
                label={t(field)}
                hint={field === 'unit' ? t('unitHint') : undefined}
                error={error(field)}
                value={draft[field]}
                onText={(text) => onChange({ [field]: text })}
                inputMode={field === 'unit' ? 'text' : 'decimal'}
                maxLength={30}
                autoComplete="off"
              />
            ))}
          </div>
          <Checkbox label={t('isWhole')} checked={draft.isWhole} onChecked={(isWhole) => onChange({ isWhole })} />
        </>
      )
    case 'ENUM':
      return (
        <TextArea
          label={t('choices')}
          hint={t('choicesHint')}
          error={error('choices')}
          rows={5}
          value={draft.choices}
          onText={(choices) => onChange({ choices })}
        />
      )
    case 'STRING':
      return (
        <TextField
          label={t('maxLength')}
          error={error('maxLength')}
          unit={t('characters')}
          value={draft.maxLength}
          onText={(maxLength) => onChange({ maxLength })}
          inputMode="numeric"
          autoComplete="off"
        />
      )
    case 'BOOLEAN':
      return null
  }
}
