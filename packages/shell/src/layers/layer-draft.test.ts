import { LAYER_KEY_PATTERN } from '@storey/contract'
import type { DataLayer } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { changeDraft, draftOfLayer, EMPTY_DRAFT, type LayerDraft, readLayerDraft } from './layer-draft.ts'

const read = (changes: Partial<LayerDraft>, metadata: DataLayer['metadata'] = null) =>
  readLayerDraft({ ...EMPTY_DRAFT, name: 'Heating', key: 'heating', ...changes }, metadata, LAYER_KEY_PATTERN)

describe('the form of a layer', () => {
  it('is read as the body of a request', () => {
    const body = { name: 'Heating', description: null, metadata: null }
    expect(read({})).toEqual({ body: { ...body, valueSchema: null } })
    expect(read({ min: '0', max: '99,5', unit: ' kWh ' })).toEqual({
      body: {
        ...body,
        metadata: { unit: 'kWh' },
        valueSchema: { type: 'number', minimum: 0, maximum: 99.5 },
      },
    })
    expect(read({ valueType: 'ENUM', choices: 'good\n\n poor ' })).toMatchObject({
      body: { valueSchema: { type: 'string', enum: ['good', 'poor'] } },
    })
    expect(read({ isSchema: true, schemaText: '{"multipleOf": 5}' })).toMatchObject({
      body: { valueSchema: { multipleOf: 5 } },
    })
  })

  it('keeps the metadata that it does not show', () => {
    expect(read({ unit: 'm²' }, { owner: 'CAFM', unit: 'ft²' })).toMatchObject({
      body: { metadata: { owner: 'CAFM', unit: 'm²' } },
    })
  })

  it.each<[Partial<LayerDraft>, object]>([
    [
      { name: ' ', key: 'A' },
      { name: 'required', key: 'badKey' },
    ],
    [
      { min: 'x', max: 'y' },
      { min: 'notNumber', max: 'notNumber' },
    ],
    [{ min: '5', max: '1' }, { max: 'minAboveMax' }],
    [{ valueType: 'STRING', maxLength: '1.5' }, { maxLength: 'notCount' }],
    [{ valueType: 'ENUM' }, { choices: 'required' }],
    [{ valueType: 'ENUM', choices: 'a\na' }, { choices: 'repeated' }],
    [{ isSchema: true, schemaText: '{' }, { schemaText: 'badJson' }],
    [{ isSchema: true, schemaText: '[]' }, { schemaText: 'badJson' }],
  ])('reports what is wrong: %j', (changes, problems) => {
    expect(read(changes)).toEqual({ problems })
  })

  it('shows a layer as it was saved', () => {
    const layer = {
      ...{ name: 'Heat', key: 'heat', description: null, valueType: 'NUMBER', metadata: { unit: 'kWh' } },
      valueSchema: { type: 'integer', minimum: 0.5 },
    } as unknown as DataLayer
    const draft = draftOfLayer(layer, ',')
    expect(draft).toMatchObject({
      name: 'Heat',
      description: '',
      unit: 'kWh',
      min: '0,5',
      isWhole: true,
      isSchema: false,
    })
    expect(readLayerDraft(draft, layer.metadata, LAYER_KEY_PATTERN)).toMatchObject({
      body: { valueSchema: layer.valueSchema },
    })
  })
})

describe('the switch from the fields of a rule to a JSON Schema', () => {
  const draftOf = (valueSchema: object) =>
    draftOfLayer({ name: 'Heat', key: 'heat', valueType: 'NUMBER', valueSchema } as unknown as DataLayer, '.')
  const switched = (draft: LayerDraft, changes: Partial<LayerDraft>) =>
    changeDraft(changeDraft(draft, { isSchema: false, ...changes }), { isSchema: true }).schemaText

  it('fills in the schema of the fields', () => {
    const text = switched(draftOf({ type: 'number', minimum: 5 }), { min: '', max: '8' })
    expect(JSON.parse(text)).toEqual({ type: 'number', maximum: 8 })
  })

  it('leaves the schema empty if the fields were cleared', () => {
    expect(switched(draftOf({ type: 'number', minimum: 5 }), { min: '' })).toBe('')
  })

  it('keeps a schema for which the form has no fields, and one that is not valid JSON', () => {
    const draft = draftOf({ multipleOf: 5 })
    expect(switched(draft, {})).toBe(draft.schemaText)
    expect(switched({ ...draft, schemaText: '{' }, {})).toBe('{')
  })
})
