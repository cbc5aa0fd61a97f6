import { describe, expect, it } from 'vitest'
import { emailAddress } from './email.ts'
import { ACCOUNT_NAME, EMAIL } from './text-patterns.ts'

describe('an email address', () => {
  it('[IDN-45] has one form, however it is typed', () => {
    expect(emailAddress(' Jos\u00c9@A.Test ')).toBe('jos\u00e9@a.test')
    expect(emailAddress('jose\u0301@a.test')).toBe('jos\u00e9@a.test')
    expect(emailAddress('o\u2019neil+x@a.test')).toBe('o\u2019neil+x@a.test')
    expect(emailAddress('админ@пример.test')).toBe('админ@пример.test')
  })

  it.each([
    ['admin\ufe0f@a.test', 'email contains an invisible character'],
    ['admin\u034f@a.test', 'email contains an invisible character'],
    ['ad\u200bmin@a.test', 'email contains an invisible character'],
    ['ad\u00admin@a.test', 'email contains an invisible character'],
    ['admin@a.test\u3164', 'email contains an invisible character'],
    ['admin\u2800@a.test', 'email contains an invisible character'],
    ['admin\ufffc@a.test', 'email contains an invisible character'],
    ['admin@a.test.', 'email must not end with a dot'],
    ['\uff41dmin@a.test', 'email contains a character with a simpler form, such as a full-width letter'],
    ['admin@a\u3002test', 'email contains a character with a simpler form, such as a full-width letter'],
    ['admin@a\u2024test', 'email contains a character with a simpler form, such as a full-width letter'],
    ['admin', 'email must be an address'],
    ['a b@c.test', 'email must be an address'],
    ['a\0@c.test', 'email must be an address'],
    [`${'a'.repeat(250)}@c.test`, 'email must be an address'],
  ])('[IDN-45] is refused with a reason: %j', (text, reason) => {
    expect(() => emailAddress(text)).toThrow(reason)
  })

  it('[IDN-45] with an invisible character or a final dot does not match the pattern of the API document', () => {
    const pattern = new RegExp(EMAIL, 'u')
    for (const text of ['admin@a.test', 'a@b', 'jose\u0301@a.test']) expect(pattern.test(text)).toBe(true)
    for (const text of [
      'admin\ufe0f@a.test',
      'admin\u2800@a.test',
      'admin@a.test\u200b',
      'admin@a.test.',
      'admin@.',
      'admin@',
    ])
      expect(pattern.test(text)).toBe(false)
  })
})

describe('the name of an account', () => {
  const pattern = new RegExp(ACCOUNT_NAME, 'u')
  it.each(['Meter 1', 'می‌خواهم', '👩‍🔧 Werkstatt', '❤️'])('[IDN-45] may be %s', (name) => {
    expect(pattern.test(name)).toBe(true)
  })
  it.each([
    'Meter\u200b',
    '\u202eretem',
    'a\u00adb',
    '\u2800\u3164x',
    'a\u2800b',
    'a\ufffc',
    '\u200d',
    ' \ufe0f ',
    'a\nb',
    '',
  ])('[IDN-45] may not be %j', (name) => expect(pattern.test(name)).toBe(false))
})
