import type { FaultRuleRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { durationText, splitDuration } from './duration.ts'
import { fieldsOf, patchOf, problemsOf, type RuleFields, readNumber, ruleOf } from './rule-form.ts'

const RULE = {
  kind: 'threshold',
  name: 'Too warm',
  severity: 'major',
  enabled: true,
  pointId: null,
  pointName: null,
  quantityKind: 'Temperature',
  unit: 'DEG_C',
  pointType: 'SENSOR',
  elementTypeSlug: null,
  above: 30,
  below: -1.5,
  durationSeconds: 5400,
} as FaultRuleRecord
const fields = (changed: Partial<RuleFields> = {}) => ({ ...fieldsOf(RULE), ...changed })

describe('the form of a rule', () => {
  it('writes a rule as it was read', () => {
    expect(fields()).toMatchObject({ above: '30', below: '-1.5', duration: '90', durationUnit: 'min' })
    expect(ruleOf(fields())).toEqual(RULE)
    expect(patchOf(fields(), fields())).toEqual({})
  })

  it('sends only what has changed, and null for what was removed', () => {
    expect(patchOf(fields(), fields({ above: '31,5', below: ' ', name: 'Too warm ' }))).toEqual({
      above: 31.5,
      below: null,
    })
  })

  it('leaves out the bounds and the duration if the kind of rule does not have them', () => {
    expect(ruleOf(fields({ kind: 'stuck' }))).toMatchObject({ above: null, below: null, durationSeconds: 5400 })
    expect(ruleOf(fields({ kind: 'alarm' }))).toMatchObject({ above: null, below: null, durationSeconds: 0 })
  })

  it.each<[Partial<RuleFields>, ReturnType<typeof problemsOf>]>([
    [{}, {}],
    [{ name: ' ' }, { name: 'required' }],
    [{ quantityKind: '', unit: '', pointType: '' }, { scope: 'noScope' }],
    [{ above: 'hot' }, { above: 'noNumber' }],
    [{ above: '', below: '' }, { above: 'noBound' }],
    [{ above: '-2' }, { above: 'crossed' }],
    [{ duration: '1', durationUnit: 's' }, {}],
    [{ kind: 'stuck', duration: '1', durationUnit: 's' }, { duration: 'tooShort' }],
    [{ duration: '-1' }, { duration: 'noDuration' }],
    [{ duration: 'x' }, { duration: 'noDuration' }],
    [{ kind: 'alarm', duration: 'x', above: 'x' }, {}],
  ])('finds what must be fixed: %o', (changed, problems) => {
    expect(problemsOf(fields(changed))).toEqual(problems)
  })

  it('reads numbers with a comma and with a minus sign', () => {
    expect(['1,5', '-2', '−2', '', '1e3', '0x1'].map(readNumber)).toEqual([
      1.5,
      -2,
      -2,
      undefined,
      Number.NaN,
      Number.NaN,
    ])
  })
})

describe('a duration', () => {
  it('is in the largest unit in which it is whole', () => {
    expect(splitDuration(7200)).toEqual({ amount: 2, unit: 'h' })
    expect(splitDuration(90)).toEqual({ amount: 90, unit: 's' })
    expect(splitDuration(0)).toEqual({ amount: 0, unit: 'min' })
    expect(durationText(86_400, 'en')).toBe('1\u00a0d')
    expect(durationText(1800, 'ru')).toBe('30\u00a0мин')
  })
})
