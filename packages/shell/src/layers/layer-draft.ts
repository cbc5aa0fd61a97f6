import type { DataLayer, DataLayerPatch, NewDataLayer } from '@storey/sdk'
import { readTyped, typedNumber } from './typed-number.ts'
import { ruleOf, schemaOf, type ValueRule } from './value-rule.ts'

export type ValueType = DataLayer['valueType']
export const VALUE_TYPES = ['NUMBER', 'ENUM', 'BOOLEAN', 'STRING'] as const satisfies readonly ValueType[]

/** The fields of the form of a layer. Numbers are texts, as they were typed. */
export interface LayerDraft {
  name: string
  key: string
  description: string
  valueType: ValueType
  unit: string
  min: string
  max: string
  isWhole: boolean
  maxLength: string
  /** One value per line. */
  choices: string
  /** Whether the rule is written as a JSON Schema. */
  isSchema: boolean
  schemaText: string
}

export type LayerProblem = 'required' | 'badKey' | 'notNumber' | 'notCount' | 'minAboveMax' | 'badJson' | 'repeated'
export type LayerProblems = Partial<Record<keyof LayerDraft, LayerProblem>>

export const EMPTY_DRAFT: LayerDraft = {
  ...{ name: '', key: '', description: '', valueType: 'NUMBER', unit: '', min: '', max: '', isWhole: false },
  ...{ maxLength: '', choices: '', isSchema: false, schemaText: '' },
}

export function draftOfLayer(layer: DataLayer, decimalMark: '.' | ','): LayerDraft {
  const { name, key, description, valueType, valueSchema } = layer
  const rule = ruleOf(valueType, valueSchema)
  const typed = (value: number | undefined) => (value === undefined ? '' : typedNumber(value, decimalMark))
  return {
    ...EMPTY_DRAFT,
    ...{ name, key, description: description ?? '', valueType, unit: unitOf(layer) },
    ...(rule.kind === 'number' ? { min: typed(rule.min), max: typed(rule.max), isWhole: rule.isWhole } : {}),
    ...(rule.kind === 'text' ? { maxLength: String(rule.maxLength) } : {}),
    ...(rule.kind === 'choices' ? { choices: rule.values.join('\n') } : {}),
    isSchema: rule.kind === 'schema',
    schemaText: valueSchema ? JSON.stringify(valueSchema, null, 2) : '',
  }
}

/** The unit of the numbers of a layer; empty if it has none. */
export function unitOf({ metadata }: Pick<DataLayer, 'metadata'>): string {
  const unit = metadata?.unit
  return typeof unit === 'string' ? unit : ''
}

/** The rule of a draft, or what is wrong with its fields. */
function readRuleFields(draft: LayerDraft): { rule: ValueRule } | { problems: LayerProblems } {
  if (draft.isSchema) return readSchema(draft.schemaText)
  const { valueType, min, max, isWhole, maxLength, choices } = draft
  const problems: LayerProblems = {}
  if (valueType === 'NUMBER') {
    const [low, high] = [optionalNumber(min), optionalNumber(max)]
    if (Number.isNaN(low)) problems.min = 'notNumber'
    if (Number.isNaN(high)) problems.max = 'notNumber'
    if (low !== undefined && high !== undefined && low > high) problems.max = 'minAboveMax'
    const bounds = { ...(low === undefined ? {} : { min: low }), ...(high === undefined ? {} : { max: high }) }
    return hasProblems(problems) ? { problems } : { rule: { kind: 'number', ...bounds, isWhole } }
  }
  if (valueType === 'STRING') {
    if (maxLength.trim() === '') return { rule: { kind: 'any' } }
    const length = readTyped(maxLength)
    const isCount = Number.isInteger(length) && length > 0
    return isCount ? { rule: { kind: 'text', maxLength: length } } : { problems: { maxLength: 'notCount' } }
  }
  if (valueType === 'BOOLEAN') return { rule: { kind: 'any' } }
  const values = choicesOf(choices)
  if (values.length === 0) return { problems: { choices: 'required' } }
  if (new Set(values).size < values.length) return { problems: { choices: 'repeated' } }
  return { rule: { kind: 'choices', values } }
}

export const choicesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function readSchema(text: string): { rule: ValueRule } | { problems: LayerProblems } {
  if (text.trim() === '') return { rule: { kind: 'any' } }
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
      return { rule: { kind: 'schema', schema } }
  } catch {
    // The result below reports the invalid JSON.
  }
  return { problems: { schemaText: 'badJson' } }
}

/**
 * The draft after a change. When the user switches from the fields of a rule to a JSON Schema, the schema of these
 * fields is filled in.
 */
export function changeDraft(known: LayerDraft, changes: Partial<LayerDraft>): LayerDraft {
  const draft = { ...known, ...changes }
  if (known.isSchema || !draft.isSchema) return draft
  const read = readRuleFields({ ...draft, isSchema: false })
  if ('problems' in read) return draft
  const schema = schemaOf(read.rule)
  if (schema !== null) return { ...draft, schemaText: JSON.stringify(schema, null, 2) }
  return hasFields(draft) ? { ...draft, schemaText: '' } : draft
}

/** Whether the form has fields for the rule in the text of the JSON Schema. */
function hasFields({ valueType, schemaText }: LayerDraft): boolean {
  const read = readSchema(schemaText)
  if ('problems' in read) return false
  return read.rule.kind !== 'schema' || ruleOf(valueType, read.rule.schema).kind !== 'schema'
}

const optionalNumber = (text: string): number | undefined => (text.trim() === '' ? undefined : readTyped(text))
const hasProblems = (problems: LayerProblems) => Object.keys(problems).length > 0

type Body = Pick<NewDataLayer, 'name' | 'description' | 'valueSchema' | 'metadata'>

/** The body of a request, or what is wrong with the form. Fields of `metadata` other than the unit are kept. */
export function readLayerDraft(
  draft: LayerDraft,
  metadata: DataLayer['metadata'],
  keyPattern: string,
): { body: Body & DataLayerPatch } | { problems: LayerProblems } {
  const problems: LayerProblems = {}
  if (draft.name.trim() === '') problems.name = 'required'
  if (!new RegExp(keyPattern).test(draft.key)) problems.key = 'badKey'
  const read = readRuleFields(draft)
  if ('problems' in read) Object.assign(problems, read.problems)
  if (hasProblems(problems) || 'problems' in read) return { problems }
  const { unit: _, ...others } = metadata ?? {}
  const unit = draft.valueType === 'NUMBER' ? draft.unit.trim() : ''
  const about = { ...others, ...(unit === '' ? {} : { unit }) }
  return {
    body: {
      name: draft.name.trim(),
      description: draft.description.trim() || null,
      valueSchema: schemaOf(read.rule),
      metadata: Object.keys(about).length === 0 ? null : about,
    },
  }
}
