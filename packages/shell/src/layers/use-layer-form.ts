import { LAYER_KEY_PATTERN } from '@storey/contract'
import { type DataLayer, StoreyError } from '@storey/sdk'
import { fieldErrors, useTexts } from '@storey/web'
import { useState } from 'react'
import { changeDraft, type LayerDraft, type LayerProblems, readLayerDraft } from './layer-draft.ts'
import { layerTexts } from './texts.ts'

/** The state of the form of a layer. Problems are shown after the first attempt to save. */
export function useLayerForm(initial: LayerDraft, metadata: DataLayer['metadata'] = null) {
  const [draft, setDraft] = useState(initial)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const read = readLayerDraft(draft, metadata, LAYER_KEY_PATTERN)
  const problems: LayerProblems = 'problems' in read && wasSubmitted ? read.problems : {}
  const change = (changes: Partial<LayerDraft>) => setDraft((known) => changeDraft(known, changes))
  return {
    draft,
    problems,
    isDirty: JSON.stringify(draft) !== JSON.stringify(initial),
    change,
    /** The body of the request; undefined if the form has problems, which are shown from now on. */
    submit() {
      setWasSubmitted(true)
      return 'body' in read ? read.body : undefined
    },
  }
}

/** `fields` has the text of an API error at the field that it concerns. `rest` is an error that concerns no field. */
export function useRefusals(
  error: unknown,
  { isSchema }: Pick<LayerDraft, 'isSchema'>,
): {
  fields: Partial<Record<keyof LayerDraft, string | undefined>>
  rest: unknown
} {
  const t = useTexts(layerTexts)
  if (!(error instanceof StoreyError)) return { fields: {}, rest: error }
  // The schema is a field only if the user writes it. Otherwise it is generated from the fields of the rule.
  if (error.code === 'VALUE_SCHEMA_INVALID' && isSchema) {
    return { fields: { schemaText: t('badSchema', { detail: error.problem.detail }) }, rest: undefined }
  }
  if (error.code === 'CONFLICT' && fieldErrors(error).key !== undefined) {
    return { fields: { key: t('keyTaken') }, rest: undefined }
  }
  return { fields: {}, rest: error }
}
