import { problems } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { adviceCodeOf } from './advice-texts.ts'
import { problemText } from './problem-titles.ts'

describe('the advice for a problem', () => {
  it('is the advice for the code of the problem, if the code has advice', () => {
    expect(adviceCodeOf({ code: 'NOT_READY', detail: 'x' })).toBe('NOT_READY')
    for (const code of ['VALIDATION_FAILED', 'toString']) expect(adviceCodeOf({ code, detail: 'x' })).toBeUndefined()
  })

  it('is to ask for a role only if a permission is missing', () => {
    const { code, message: detail } = problems.permissionDenied('building.layers:write')
    expect(adviceCodeOf({ code, detail })).toBe(code)
    expect(
      adviceCodeOf({ code, detail: 'An author of a changeset cannot review it: ask somebody else' }),
    ).toBeUndefined()
  })

  it('is to sign in again, unless the account is disabled', () => {
    const { code, message: detail } = problems.unauthenticated()
    expect(adviceCodeOf({ code, detail })).toBe(code)
    const disabled = { code, detail: 'This account is disabled: ask the operator of the service' }
    expect(adviceCodeOf(disabled)).toBeUndefined()
    expect(problemText(disabled, 'ru')).toContain('отключена')
  })
})
